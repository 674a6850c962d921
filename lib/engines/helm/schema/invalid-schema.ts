/** A document that isn't a valid schema, or has a broken reference. The message is that of Helm's library. */
export class InvalidSchema extends Error {}
