/** Whole seconds, as Kubernetes writes times in metadata. `ms` is milliseconds since the epoch. */
export const rfc3339 = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
