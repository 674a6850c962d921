/** The segments of a name. Fails on names that could lead outside the store, or have empty segments (see the port). */
export const segmentsOf = (name: string): readonly string[] => {
  const segments = name.split('/')
  if (!segments.every(segment => /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/.test(segment)))
    throw new Error(`${JSON.stringify(name)} is not a valid artifact name`)
  return segments
}
