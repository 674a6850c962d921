/** Collects the errors that the parts of a validation find. */
import type { FieldError } from './field-error.ts'

export interface Findings {
  /** Adds an error at a path below the validated value: `spec.items[0].name`. */
  add(path: string, error: (field: string) => FieldError): void
  /** Adds an error for which an API server gives no path. */
  addWhole(error: (field: string) => FieldError): void
}

/** `at` is the path of the validated value: '' for an object as a whole, `status` for a part. */
export const findings = (at: string): Findings & { readonly errors: readonly FieldError[] } => {
  const errors: FieldError[] = []
  return {
    errors,
    add: (path, error) => errors.push(error(joined(at, path))),
    addWhole: error => errors.push(error(joined(at, ''))),
  }
}

/** Without any path, an API server writes `<nil>`. */
const joined = (at: string, path: string): string => {
  const below = path.startsWith('.') ? path.slice(1) : path
  if (!at || !below) return at || below || '<nil>'
  return below.startsWith('[') ? `${at}${below}` : `${at}.${below}`
}
