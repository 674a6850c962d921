import { errorMessage } from '../../foundations/rules/error-message.ts'
import { UnsupportedData, YamlError } from '../yaml/yaml-error.ts'

export interface ErrorPlace {
  /** Path of the file at fault, relative to the tree's root. */
  readonly file?: string | undefined
  /** Field of that file, or of the object being changed. */
  readonly field?: string | undefined
}

/** Why a build failed: kustomize's own words, with the file and field beside them. */
export class KustomizeError extends Error {
  readonly file: string | undefined
  readonly field: string | undefined

  constructor(message: string, { file, field }: ErrorPlace = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'KustomizeError'
    this.file = file || undefined
    this.field = field || undefined
  }
}

/**
 * The file and field at fault, as far as the message doesn't name them itself: ` (file: ..., field: ...)`, or nothing. `root` is
 * put before paths of the tree.
 */
export const placeOf = ({ message, file, field }: KustomizeError, root = ''): string => {
  const shown = { file: file && (file.includes('://') ? file : root + file), field }
  const parts = Object.entries(shown).filter(([, value]) => value && !message.includes(value))
  return parts.length === 0 ? '' : ` (${parts.map(([name, value]) => `${name}: ${value}`).join(', ')})`
}

/** The error behind a prefix, as Go programs wrap: the innermost place known wins. */
export const wrapError = (prefix: string, error: unknown, place: ErrorPlace = {}): KustomizeError => {
  const inner = error instanceof KustomizeError ? error : undefined
  return new KustomizeError(
    `${prefix}: ${errorMessage(error)}`,
    { file: inner?.file ?? place.file, field: inner?.field ?? place.field },
    error,
  )
}

/** The same error with a place, as far as it has none yet. */
export const located = (error: unknown, { file, field }: ErrorPlace): unknown => {
  if (error instanceof YamlError || error instanceof UnsupportedData)
    return new KustomizeError(error.message, { file, field }, error)
  if (!(error instanceof KustomizeError) || (error.file && error.field)) return error
  return new KustomizeError(error.message, { file: error.file ?? file, field: error.field ?? field }, error.cause)
}

/** Errors of a step are told with its place, unless they have one. */
export const within = <T>(place: ErrorPlace, step: () => T): T => {
  try {
    return step()
  } catch (error) {
    throw located(error, place)
  }
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
