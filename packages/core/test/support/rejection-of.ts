/** What a promise rejects with; a promise that resolves fails the test. */

export async function rejectionOf(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("The promise was expected to reject, but it resolved.");
}

/** As `rejectionOf`, for an error. */
export async function errorOf(work: PromiseLike<unknown>): Promise<Error & { code?: string; cause?: unknown }> {
  const error = await rejectionOf(work);
  if (error instanceof Error) return error;
  throw new Error(`The promise rejected with ${String(error)}, which is no Error.`);
}
