"""Generated from library/plumbline.h by scripts/python_abi.py. Do not edit."""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int32, c_int64,
                    c_size_t, c_uint32, c_uint64, c_void_p)


class plumb_tensor(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("dtype", c_int32),
        ("rank", c_int32),
        ("device", c_int32),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("data", c_void_p),
        ("name", c_char_p),
    ]


class plumb_read_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("given_count", c_uint32),
        ("shapes", c_char_p),
        ("given", POINTER(plumb_tensor)),
    ]


class plumb_candidate_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("timeout", c_uint32),
        ("taps", c_char_p),
        ("names", c_char_p),
        ("pair", c_char_p),
        ("keep_exchange", c_char_p),
        ("framework", c_char_p),
        ("arguments", c_char_p),
        ("device", c_char_p),
        ("returns", c_int32),
        ("threads", c_int32),
        ("align", c_uint32),
        ("flags", c_uint32),
        ("storage", c_char_p),
    ]


class plumb_setting(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("name", c_char_p),
        ("value", c_char_p),
    ]


class plumb_device(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("is_software", c_int32),
        ("name", c_char_p),
        ("driver", c_char_p),
        ("uuid", c_char_p),
        ("refusal", c_char_p),
        ("memory", c_uint64),
    ]


class plumb_call(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("input_count", c_uint32),
        ("asked_count", c_uint32),
        ("required_count", c_uint32),
        ("inputs", POINTER(plumb_tensor)),
        ("asked", POINTER(plumb_tensor)),
        ("context", c_void_p),
        ("give", CFUNCTYPE(c_int, c_void_p, POINTER(plumb_tensor))),
        ("fail", CFUNCTYPE(c_int, c_void_p, c_int, c_char_p)),
    ]


class plumb_callback(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("keeps_subnormals", c_int32),
        ("name", c_char_p),
        ("taps", c_char_p),
        ("user", c_void_p),
        ("run", CFUNCTYPE(c_int, c_void_p, POINTER(plumb_call))),
        ("storage", c_char_p),
    ]


class plumb_box(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("rank", c_int32),
        ("starts", POINTER(c_int64)),
        ("extents", POINTER(c_int64)),
    ]


class plumb_traffic(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("up", c_uint64),
        ("down", c_uint64),
    ]


class plumb_verify_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("repeat", c_uint32),
        ("seed", c_uint64),
        ("dtype", c_int32),
        ("threads", c_int32),
        ("strict", c_int32),
        ("verified", c_int32),
        ("no_plain", c_int32),
        ("metamorphic", c_int32),
        ("filter", c_char_p),
        ("mode", c_char_p),
        ("fill", c_char_p),
        ("policy", c_char_p),
        ("expected", POINTER(plumb_tensor)),
        ("expected_count", c_size_t),
        ("min_verified_work", c_double),
        ("min_verified_elements", c_double),
        ("progress", CFUNCTYPE(c_int, c_void_p, c_char_p, c_size_t, c_size_t)),
        ("user", c_void_p),
        ("profile", c_char_p),
    ]


class plumb_check_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("keeps_subnormals", c_int32),
        ("threads", c_int32),
        ("strict", c_int32),
        ("policy", c_char_p),
        ("profile", c_char_p),
        ("sums", c_char_p),
    ]


class plumb_row(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("group", c_uint32),
        ("label", c_char_p),
        ("op", c_char_p),
        ("verdict", c_char_p),
        ("why", c_char_p),
        ("kernel", c_char_p),
        ("paired", c_char_p),
        ("repro", c_char_p),
        ("error", c_double),
        ("ratio", c_double),
        ("allowed", c_double),
        ("ulp", c_double),
        ("worst", c_int64),
        ("got", c_double),
        ("truth", c_double),
        ("is_guilty", c_int32),
        ("is_result", c_int32),
    ]


class plumb_probe_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("progress", CFUNCTYPE(c_int, c_void_p, c_char_p, c_size_t, c_size_t)),
        ("user", c_void_p),
    ]


class plumb_op_infer_args(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("input_count", c_uint32),
        ("user", c_void_p),
        ("attributes", c_char_p),
        ("inputs", POINTER(plumb_tensor)),
        ("context", c_void_p),
        ("number", CFUNCTYPE(c_double, c_void_p, c_char_p)),
        ("fail", CFUNCTYPE(c_int, c_void_p, c_char_p)),
        ("give", CFUNCTYPE(c_int, c_void_p, POINTER(plumb_tensor))),
    ]


class plumb_op_cpu_args(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("input_count", c_uint32),
        ("output_count", c_uint32),
        ("flags", c_uint32),
        ("user", c_void_p),
        ("attributes", c_char_p),
        ("inputs", POINTER(plumb_tensor)),
        ("outputs", POINTER(plumb_tensor)),
        ("context", c_void_p),
        ("number", CFUNCTYPE(c_double, c_void_p, c_char_p)),
        ("fail", CFUNCTYPE(c_int, c_void_p, c_char_p)),
    ]


class plumb_op_bounds_args(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("input_count", c_uint32),
        ("output_count", c_uint32),
        ("flags", c_uint32),
        ("user", c_void_p),
        ("attributes", c_char_p),
        ("inputs", POINTER(plumb_tensor)),
        ("outputs", POINTER(plumb_tensor)),
        ("bounds", POINTER(plumb_tensor)),
        ("context", c_void_p),
        ("number", CFUNCTYPE(c_double, c_void_p, c_char_p)),
        ("fail", CFUNCTYPE(c_int, c_void_p, c_char_p)),
        ("unit", c_double),
    ]


class plumb_op_gpu_args(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("input_count", c_uint32),
        ("output_count", c_uint32),
        ("flags", c_uint32),
        ("user", c_void_p),
        ("attributes", c_char_p),
        ("inputs", POINTER(plumb_tensor)),
        ("outputs", POINTER(plumb_tensor)),
        ("context", c_void_p),
        ("number", CFUNCTYPE(c_double, c_void_p, c_char_p)),
        ("fail", CFUNCTYPE(c_int, c_void_p, c_char_p)),
        ("glsl", c_char_p),
        ("spirv", POINTER(c_uint32)),
        ("spirv_count", c_size_t),
        ("groups", c_uint32 * 3),
        ("push_count", c_uint32),
        ("push", c_uint32 * 32),
    ]


class plumb_op_v1(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("user", c_void_p),
        ("name", c_char_p),
        ("schema", c_char_p),
        ("infer", CFUNCTYPE(c_int, POINTER(plumb_op_infer_args))),
        ("body", c_char_p),
        ("cpu", CFUNCTYPE(c_int, POINTER(plumb_op_cpu_args))),
        ("bounds", CFUNCTYPE(c_int, POINTER(plumb_op_bounds_args))),
        ("gpu", CFUNCTYPE(c_int, POINTER(plumb_op_gpu_args))),
    ]


class plumb_ops_args(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("abi", c_uint32),
        ("context", c_void_p),
        ("take", CFUNCTYPE(c_int, c_void_p, POINTER(plumb_op_v1))),
    ]


ERROR_INVALID = 2
ERROR_DEVICE = 3
ERROR_MEMORY = 5
ERROR_STOPPED = 6
ERROR_UNSUPPORTED = 77
INPUTS = 0
PARAMS = 1
RESULTS = 2
COMPUTED = 3
IMPORT_REQUIRE = 0
IMPORT_ALLOW_COPY = 1
BOOL = 1
U8 = 2
I8 = 3
I16 = 4
I32 = 5
U32 = 6
I64 = 7
F16 = 8
BF16 = 9
F32 = 10
F64 = 11
C64 = 12
C128 = 13
U16 = 14
ABI = 1

FUNCTIONS = {
    "plumb_abi_version": (c_uint32, []),
    "plumb_version": (c_char_p, []),
    "plumb_licence": (c_char_p, []),
    "plumb_set_log": (None, [CFUNCTYPE(None, c_void_p, c_char_p), c_void_p]),
    "plumb_error_kind": (c_int, [c_void_p]),
    "plumb_error_message": (c_char_p, [c_void_p]),
    "plumb_error_free": (None, [c_void_p]),
    "plumb_graph_read": (c_void_p, [c_char_p, POINTER(plumb_read_options), POINTER(c_void_p)]),
    "plumb_graph_parse": (c_void_p, [c_char_p, c_char_p, POINTER(c_void_p)]),
    "plumb_graph_of_op": (c_void_p, [c_char_p, c_char_p, POINTER(plumb_tensor), c_size_t, POINTER(c_void_p)]),
    "plumb_graph_free": (None, [c_void_p]),
    "plumb_graph_count": (c_size_t, [c_void_p, c_int32]),
    "plumb_graph_value": (c_void_p, [c_void_p, c_int32, c_size_t, POINTER(plumb_tensor)]),
    "plumb_graph_note_count": (c_size_t, [c_void_p]),
    "plumb_graph_note": (c_char_p, [c_void_p, c_size_t]),
    "plumb_graph_feeds": (c_void_p, [c_void_p, c_uint64, POINTER(c_void_p)]),
    "plumb_feeds_count": (c_size_t, [c_void_p]),
    "plumb_feeds_tensor": (c_void_p, [c_void_p, c_size_t, POINTER(plumb_tensor)]),
    "plumb_feeds_free": (None, [c_void_p]),
    "plumb_candidate": (c_void_p, [c_char_p, POINTER(plumb_candidate_options), POINTER(c_void_p)]),
    "plumb_cpu": (c_void_p, [POINTER(plumb_setting), c_size_t, POINTER(c_void_p)]),
    "plumb_vulkan": (c_void_p, [POINTER(plumb_setting), c_size_t, POINTER(c_void_p)]),
    "plumb_devices_list": (c_void_p, [POINTER(c_void_p)]),
    "plumb_devices_count": (c_size_t, [c_void_p]),
    "plumb_devices_device": (c_void_p, [c_void_p, c_size_t, POINTER(plumb_device)]),
    "plumb_devices_free": (None, [c_void_p]),
    "plumb_callbacks": (c_void_p, [POINTER(plumb_callback), POINTER(c_void_p)]),
    "plumb_executor_name": (c_char_p, [c_void_p]),
    "plumb_executor_free": (None, [c_void_p]),
    "plumb_compile": (c_void_p, [c_void_p, c_void_p, POINTER(plumb_tensor), c_size_t, POINTER(c_char_p), c_size_t,
        POINTER(c_void_p)]),
    "plumb_run": (c_void_p, [c_void_p, POINTER(plumb_tensor), c_size_t, POINTER(plumb_tensor), c_size_t]),
    "plumb_executable_bytes": (c_void_p, [c_void_p, POINTER(c_uint64)]),
    "plumb_executable_free": (None, [c_void_p]),
    "plumb_buffer_new": (c_void_p, [c_void_p, POINTER(plumb_tensor), POINTER(c_void_p)]),
    "plumb_buffer_type": (c_void_p, [c_void_p, POINTER(plumb_tensor)]),
    "plumb_buffer_write": (c_void_p, [c_void_p, POINTER(plumb_tensor), POINTER(plumb_box)]),
    "plumb_buffer_read": (c_void_p, [c_void_p, POINTER(plumb_box), POINTER(plumb_tensor)]),
    "plumb_buffer_copy": (c_void_p, [c_void_p, c_void_p, POINTER(plumb_box), POINTER(plumb_box)]),
    "plumb_buffer_mapped": (c_void_p, [c_void_p, POINTER(plumb_tensor)]),
    "plumb_buffer_free": (None, [c_void_p]),
    "plumb_buffer_import": (c_void_p, [c_void_p, POINTER(plumb_tensor), c_int32, CFUNCTYPE(None, c_void_p), c_void_p,
        POINTER(c_void_p)]),
    "plumb_buffer_to_dlpack": (c_void_p, [c_void_p, c_int32, POINTER(c_void_p)]),
    "plumb_buffer_to_dlpack_unversioned": (c_void_p, [c_void_p, POINTER(c_void_p)]),
    "plumb_buffer_from_dlpack": (c_void_p, [c_void_p, c_void_p, c_int32, POINTER(c_void_p)]),
    "plumb_buffer_from_dlpack_unversioned": (c_void_p, [c_void_p, c_void_p, c_int32, POINTER(c_void_p)]),
    "plumb_params_new": (c_void_p, [c_void_p, POINTER(plumb_tensor), c_size_t, POINTER(c_void_p)]),
    "plumb_params_buffer": (c_void_p, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "plumb_params_set": (c_void_p, [c_void_p, c_char_p, POINTER(plumb_tensor)]),
    "plumb_params_free": (None, [c_void_p]),
    "plumb_compile_held": (c_void_p, [c_void_p, c_void_p, c_void_p, POINTER(c_char_p), c_size_t, POINTER(c_char_p),
        c_size_t, POINTER(c_void_p)]),
    "plumb_context_new": (c_void_p, [c_void_p, POINTER(c_void_p)]),
    "plumb_context_bind": (c_void_p, [c_void_p, c_char_p, c_void_p]),
    "plumb_context_bind_result": (c_void_p, [c_void_p, c_char_p, c_void_p]),
    "plumb_context_feed": (c_void_p, [c_void_p, c_char_p, c_char_p]),
    "plumb_context_how": (c_void_p, [c_void_p, c_char_p, POINTER(c_char_p)]),
    "plumb_context_buffer": (c_void_p, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "plumb_context_traffic": (c_void_p, [c_void_p, POINTER(plumb_traffic)]),
    "plumb_context_blocks": (c_int, [c_void_p]),
    "plumb_context_free": (None, [c_void_p]),
    "plumb_submit": (c_void_p, [c_void_p, POINTER(plumb_tensor), c_size_t, POINTER(c_void_p)]),
    "plumb_wait": (c_void_p, [c_void_p]),
    "plumb_fence_ready": (c_int, [c_void_p]),
    "plumb_fence_wait": (c_void_p, [c_void_p, c_double, POINTER(c_int32)]),
    "plumb_fence_free": (None, [c_void_p]),
    "plumb_verify": (c_void_p, [c_void_p, POINTER(plumb_tensor), c_size_t, c_void_p, POINTER(plumb_verify_options),
        POINTER(c_void_p)]),
    "plumb_verify_each": (c_void_p, [c_void_p, POINTER(plumb_tensor), c_size_t, POINTER(c_void_p), c_size_t,
        POINTER(plumb_verify_options), POINTER(c_void_p)]),
    "plumb_check": (c_void_p, [c_char_p, c_char_p, POINTER(plumb_tensor), c_size_t, POINTER(plumb_tensor), c_size_t,
        POINTER(plumb_check_options), POINTER(c_void_p)]),
    "plumb_result_exit": (c_int, [c_void_p]),
    "plumb_result_verdict": (c_char_p, [c_void_p]),
    "plumb_result_message": (c_char_p, [c_void_p]),
    "plumb_result_rows": (c_size_t, [c_void_p]),
    "plumb_result_row": (c_void_p, [c_void_p, c_size_t, POINTER(plumb_row)]),
    "plumb_result_text": (c_char_p, [c_void_p]),
    "plumb_result_json": (c_char_p, [c_void_p]),
    "plumb_result_explain": (c_void_p, [c_void_p, c_size_t, POINTER(c_void_p)]),
    "plumb_result_save": (c_void_p, [c_void_p, c_char_p]),
    "plumb_result_free": (None, [c_void_p]),
    "plumb_probe": (c_void_p, [c_void_p, c_void_p, POINTER(plumb_probe_options), POINTER(c_void_p)]),
    "plumb_text_get": (c_char_p, [c_void_p]),
    "plumb_text_free": (None, [c_void_p]),
    "plumb_register_op": (c_void_p, [POINTER(plumb_op_v1)]),
}
