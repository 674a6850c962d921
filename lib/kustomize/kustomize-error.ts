export interface ErrorPlace {
  /** Path of the file at fault, relative to the tree's root. */
  readonly file?: string
  /** Field of that file, or of the object being changed. */
  readonly field?: string
}

/** Why a build failed: kustomize's own words, with the file and field beside them. */
export class KustomizeError extends Error {
  readonly file: string | undefined
  readonly field: string | undefined

  constructor(message: string, { file, field }: ErrorPlace = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'KustomizeError'
    this.file = file
    this.field = field
  }
}

/** The file and field at fault, as far as the message doesn't name them itself: ` (file: ..., field: ...)`, or nothing. */
export const placeOf = ({ message, file, field }: KustomizeError): string => {
  const parts = Object.entries({ file, field }).filter(([, value]) => value && !message.includes(value))
  return parts.length === 0 ? '' : ` (${parts.map(([name, value]) => `${name}: ${value}`).join(', ')})`
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The error behind a prefix, as Go programs wrap: the innermost place known wins. */
export const wrapError = (prefix: string, error: unknown, place: ErrorPlace = {}): KustomizeError => {
  const inner = error instanceof KustomizeError ? error : undefined
  return new KustomizeError(
    `${prefix}: ${messageOf(error)}`,
    { file: inner?.file ?? place.file, field: inner?.field ?? place.field },
    error,
  )
}

/** Runs a step and wraps what it throws. */
export const wrapping = <T>(prefix: string, step: () => T): T => {
  try {
    return step()
  } catch (error) {
    throw wrapError(prefix, error)
  }
}

/** Runs a step of a kustomization; its errors get a prefix, and the place if they have none. */
export const wrappingAll = async <T>(
  prefix: string,
  { file }: { readonly file: string },
  field: string,
  step: () => Promise<T>,
): Promise<T> => {
  try {
    return await step()
  } catch (error) {
    throw wrapError(prefix, error, { file, field })
  }
}
