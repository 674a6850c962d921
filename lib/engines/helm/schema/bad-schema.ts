/** A document that isn't a schema, or refers to what isn't there. The message is that of Helm's library. */
export class BadSchema extends Error {}
