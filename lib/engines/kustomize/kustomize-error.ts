import { errorMessage } from '../../foundations/rules/error-message.ts'
import { UnsupportedData, YamlError } from '../yaml/yaml-error.ts'

export interface ErrorPlace {
  /** Path of the file with the error, relative to the tree's root. */
  readonly file?: string | undefined
  /** Field of that file, or of the object being changed. */
  readonly field?: string | undefined
}

/** Why a build failed: kustomize's message, with the file and field. */
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
 * The file and field of the error, as far as the message doesn't name them: ` (file: ..., field: ...)`, or ''. `root` is the prefix of the
 * tree's paths.
 */
export const placeOf = ({ message, file, field }: KustomizeError, root = ''): string => {
  const shown = { file: file && (file.includes('://') ? file : root + file), field }
  const parts = Object.entries(shown).filter(([, value]) => value && !message.includes(value))
  return parts.length === 0 ? '' : ` (${parts.map(([name, value]) => `${name}: ${value}`).join(', ')})`
}

/** Adds a prefix to an error, as Go programs wrap errors: the innermost known place is kept. */
export const wrapError = (prefix: string, error: unknown, place: ErrorPlace = {}): KustomizeError => {
  const inner = error instanceof KustomizeError ? error : undefined
  return new KustomizeError(
    `${prefix}: ${errorMessage(error)}`,
    { file: inner?.file ?? place.file, field: inner?.field ?? place.field },
    error,
  )
}

/** Adds a place to an error that has none yet. */
export const located = (error: unknown, { file, field }: ErrorPlace): unknown => {
  if (error instanceof YamlError || error instanceof UnsupportedData)
    return new KustomizeError(error.message, { file, field }, error)
  if (!(error instanceof KustomizeError) || (error.file && error.field)) return error
  return new KustomizeError(error.message, { file: error.file ?? file, field: error.field ?? field }, error.cause)
}

/** Adds the step's place to errors that have none. */
export const within = <T>(place: ErrorPlace, step: () => T): T => {
  try {
    return step()
  } catch (error) {
    throw located(error, place)
  }
}

/** Runs a step and adds a prefix to its errors. */
export const wrapping = <T>(prefix: string, step: () => T): T => {
  try {
    return step()
  } catch (error) {
    throw wrapError(prefix, error)
  }
}

/** Runs a step of a kustomization; adds a prefix to its errors, and the place if they have none. */
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
