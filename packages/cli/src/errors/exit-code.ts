/** The exit codes of the command. */

/** 0 done, 1 the run failed, 2 wrong usage or declaration, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;
