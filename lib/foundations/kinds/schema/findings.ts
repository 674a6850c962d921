/** Where the parts of a validation put what they find. */
import type { FieldError } from './field-error.ts'

export interface Findings {
  /** Of the value at a path below the one that is validated: `spec.items[0].name`. */
  add(path: string, error: (field: string) => FieldError): void
  /** A finding that an API server does not give a path to. */
  addWhole(error: (field: string) => FieldError): void
}

/** Collects errors. `at` is the path of the value that is validated: '' for an object as a whole, `status` for a part. */
export const findings = (at: string): Findings & { readonly errors: readonly FieldError[] } => {
  const errors: FieldError[] = []
  return {
    errors,
    add: (path, error) => errors.push(error(joined(at, path))),
    addWhole: error => errors.push(error(joined(at, ''))),
  }
}

/** Without any path an API server writes `<nil>`. */
const joined = (at: string, path: string): string => {
  const below = path.startsWith('.') ? path.slice(1) : path
  if (!at || !below) return at || below || '<nil>'
  return below.startsWith('[') ? `${at}${below}` : `${at}.${below}`
}
