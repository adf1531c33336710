"""Getting kernels: run a script without a GPU (`record`), read files (`files`), keep captures (`save`).

torch and Triton are imported by the child process only (`capture.child`), never by the modules here.
"""
