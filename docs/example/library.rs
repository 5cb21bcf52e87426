//! plumbline from Rust: a softmax judged, a graph run and the reference verified, by plumbline.h's functions.
//!
//!     rustc -O library.rs -L PREFIX/lib -C link-arg=-Wl,-rpath,PREFIX/lib
use std::ffi::{c_char, c_int, c_void, CStr};
use std::ptr::{null, null_mut};

#[repr(C)]
struct Tensor {
    struct_size: u32,
    dtype: i32,
    rank: i32,
    device: i32,
    shape: *const i64,
    strides: *const i64,
    data: *mut c_void,
    name: *const c_char,
}

type Handle = *mut c_void;

#[link(name = "plumbline")]
extern "C" {
    fn plumb_error_message(error: *const c_void) -> *const c_char;
    fn plumb_graph_of_op(op: *const c_char, attributes: *const c_char, operands: *const Tensor, count: usize,
                         graph: *mut Handle) -> Handle;
    fn plumb_cpu(settings: *const c_void, count: usize, executor: *mut Handle) -> Handle;
    fn plumb_compile(executor: Handle, graph: *const c_void, params: *const Tensor, param_count: usize,
                     wanted: *const *const c_char, wanted_count: usize, executable: *mut Handle) -> Handle;
    fn plumb_run(executable: Handle, inputs: *const Tensor, input_count: usize, results: *mut Tensor,
                 result_count: usize) -> Handle;
    fn plumb_check(op: *const c_char, attributes: *const c_char, inputs: *const Tensor, input_count: usize,
                   got: *const Tensor, got_count: usize, options: *const c_void, result: *mut Handle) -> Handle;
    fn plumb_verify(graph: *const c_void, inputs: *const Tensor, count: usize, candidate: Handle,
                    options: *const c_void, result: *mut Handle) -> Handle;
    fn plumb_result_exit(result: *const c_void) -> c_int;
    fn plumb_result_text(result: Handle) -> *const c_char;
    fn plumb_result_free(result: Handle);
    fn plumb_executable_free(executable: Handle);
    fn plumb_executor_free(executor: Handle);
    fn plumb_graph_free(graph: Handle);
}

const F32: i32 = 10;
const SHAPE: [i64; 2] = [2, 3];

fn tensor(numbers: &mut [f32; 6], name: *const c_char) -> Tensor {
    Tensor { struct_size: std::mem::size_of::<Tensor>() as u32, dtype: F32, rank: 2, device: 0, shape: SHAPE.as_ptr(),
             strides: null(), data: numbers.as_mut_ptr().cast(), name }
}

fn text(words: *const c_char) -> String {
    unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned()
}

fn require(error: Handle) {
    assert!(error.is_null(), "{}", text(unsafe { plumb_error_message(error) }));
}

fn main() {
    let (op, axis) = (b"softmax\0".as_ptr().cast(), b"{\"axis\": -1}\0".as_ptr().cast());
    let (mut x, mut y) = ([1.0, 2.0, 3.0, 0.0, 0.0, 0.0], [0.0f32; 6]);
    let (mut graph, mut cpu, mut executable, mut result) = (null_mut(), null_mut(), null_mut(), null_mut());
    let input = tensor(&mut x, b"x0\0".as_ptr().cast());
    unsafe {
        require(plumb_graph_of_op(op, axis, &input, 1, &mut graph));
        require(plumb_cpu(null(), 0, &mut cpu));
        require(plumb_compile(cpu, graph, null(), 0, null(), 0, &mut executable));
        require(plumb_run(executable, &input, 1, &mut tensor(&mut y, null()), 1));
        println!("run: {:?}", &y[..3]);
        require(plumb_verify(graph, &input, 1, cpu, null(), &mut result));
        println!("verify: {}", plumb_result_exit(result));
        plumb_result_free(result);
        y[1] += 1e-3; // no order of rounding explains that
        require(plumb_check(op, axis, &input, 1, &tensor(&mut y, null()), 1, null(), &mut result));
        println!("check: {}\n{}", plumb_result_exit(result), text(plumb_result_text(result)));
        plumb_result_free(result);
        plumb_executable_free(executable);
        plumb_executor_free(cpu);
        plumb_graph_free(graph);
    }
}
