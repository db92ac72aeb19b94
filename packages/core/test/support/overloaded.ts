/** What a provider answers that has too much to do: an error that the SDK calls worth a retry. */

import { APICallError } from "ai";

/** @param retryAfterMs what it asks to be left alone for, in milliseconds */
export function overloaded(retryAfterMs: number): Error {
  return new APICallError({
    message: "overloaded",
    url: "http://127.0.0.1/",
    requestBodyValues: {},
    statusCode: 529,
    isRetryable: true,
    responseHeaders: { "retry-after-ms": String(retryAfterMs) },
  });
}
