import { errorMessage } from '../../foundations/rules/error-message.ts'
import { UnsupportedData, YamlError } from '../yaml/yaml-error.ts'

export interface ErrorPlace {
  /** Path of the file with the error, relative to the tree's root. */
  readonly file?: string | undefined
  /** Field of that file, or of the object being changed. */
  readonly field?: string | undefined
}

/** The kustomization file, and its field, whose step failed. */
export interface FailedStep {
  readonly file: string
  readonly field: string
}

/** Why a build failed: kustomize's message, with the file and field, and the step if that stands in another file. */
export class KustomizeError extends Error {
  readonly file: string | undefined
  readonly field: string | undefined
  readonly step: FailedStep | undefined

  constructor(
    message: string,
    { file, field, step }: ErrorPlace & { step?: FailedStep | undefined } = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'KustomizeError'
    this.file = file || undefined
    this.field = field || undefined
    this.step = step
  }
}

/**
 * The file, step and field of the error, as far as the message doesn't name them: ` (file: ..., field: ...)`, or ''. `root` is the prefix
 * of the tree's paths.
 */
export const placeOf = ({ message, file, field, step }: KustomizeError, root = ''): string => {
  const rooted = (path: string | undefined) => path && (path.includes('://') ? path : root + path)
  const shown = { file: rooted(file), in: rooted(step?.file), field: step?.field ?? field }
  const parts = Object.entries(shown).filter(([, value]) => value && !message.includes(value))
  return parts.length === 0 ? '' : ` (${parts.map(([name, value]) => `${name}: ${value}`).join(', ')})`
}

/** Adds a prefix to an error, as Go programs wrap errors: the innermost known place is kept. */
export const wrapError = (prefix: string, error: unknown, place: ErrorPlace = {}): KustomizeError => {
  const inner = error instanceof KustomizeError ? error : undefined
  return new KustomizeError(
    `${prefix}: ${errorMessage(error)}`,
    { file: inner?.file ?? place.file, field: inner?.field ?? place.field, step: inner?.step },
    error,
  )
}

/** Adds a place to an error that has none yet. */
export const located = (error: unknown, { file, field }: ErrorPlace): unknown => {
  if (error instanceof YamlError || error instanceof UnsupportedData)
    return new KustomizeError(error.message, { file, field }, error)
  if (!(error instanceof KustomizeError) || (error.file && error.field)) return error
  const place = { file: error.file ?? file, field: error.field ?? field, step: error.step }
  return new KustomizeError(error.message, place, error.cause)
}

/** Adds the place of a generator or transformer: as the step, if the error is about another file, such as the object being changed. */
export const locatedInStep = (error: unknown, place: ErrorPlace): unknown => {
  const { file, field } = place
  const at = located(error, place)
  if (!(at instanceof KustomizeError) || at.step || !file || !field || at.file === file) return at
  return new KustomizeError(at.message, { file: at.file, field: at.field, step: { file, field } }, at.cause)
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
