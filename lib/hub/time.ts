/** Whole seconds, as Kubernetes writes times in metadata. `ms` is milliseconds since the epoch. */
export const rfc3339 = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
