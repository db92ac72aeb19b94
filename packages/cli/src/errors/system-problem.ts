/** What the system said about a file, in words. */

const words: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of the path is no folder",
  EISDIR: "it is a folder",
  EACCES: "access is denied",
  EPERM: "access is denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
};

/** The problem behind an error of the file system. */
export function systemProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code === undefined ? undefined : words[code]) ?? message;
}
