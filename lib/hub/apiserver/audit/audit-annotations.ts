/** Annotations of audit events, besides those of Kubernetes. */

/** What the user did, and why, as in the Event of it. */
export const whatWasDone = 'keelson.dev/action'
/** The write left the object as it was. */
export const unchanged = 'keelson.dev/unchanged'
