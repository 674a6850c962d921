/** An event that its function does not accept; the message names the field. */
export class EventError extends Error {
  constructor(event: string, problem: string) {
    super(`invalid ${event}: ${problem}`)
    this.name = 'EventError'
  }
}

/** Reads fields of an untrusted object, by paths that errors name. */
export const fieldsOf = (event: string, value: unknown, path = '') => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new EventError(event, `${path || 'it'} is not an object`)
  const fields = new Map(Object.entries(value))
  const at = (name: string) => (path ? `${path}.${name}` : name)
  const text = (name: string): string => {
    const found = fields.get(name)
    if (typeof found !== 'string') throw new EventError(event, `${at(name)} is not a string`)
    return found
  }
  return {
    text,
    texts: (name: string): readonly string[] => {
      const found = fields.get(name)
      if (Array.isArray(found) && found.every(item => typeof item === 'string')) return found
      throw new EventError(event, `${at(name)} is not a list of strings`)
    },
    optionalText: (name: string): string | undefined => (fields.get(name) == null ? undefined : text(name)),
    object: (name: string) => fieldsOf(event, fields.get(name), at(name)),
    value: (name: string): unknown => fields.get(name),
  }
}
