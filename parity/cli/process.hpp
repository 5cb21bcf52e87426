#pragma once

// Set-up of the process before any command runs, and the flush of its output at the end.

namespace plumb::parity::cli {

/// Opens /dev/null where stdin, stdout or stderr are closed, since the next file that is opened would get their number
/// and all that is printed; takes interruptions in order, and a file that cannot grow for an error. To be called
/// before there is a second thread.
void prepare_process(int exit_status_of_crash);

/// Hands all that was printed to the operating system; false, after a line on stderr, where it could not be written.
bool flush_stdout();

}  // namespace plumb::parity::cli
