/** Why an interrupted run ended. */

/** The reason of an abort by Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  override readonly message = "june: interrupted";
}
