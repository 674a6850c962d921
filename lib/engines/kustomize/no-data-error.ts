import { unsupportedPath } from '../yaml/unsupported-path.ts'
import { UnsupportedData } from '../yaml/yaml-error.ts'
import { KustomizeError } from './kustomize-error.ts'

/** Why an object can't be converted to plain data, with its file and field. */
export const noDataError = (error: unknown, file: string): KustomizeError => {
  const { message } = error as Error
  const field =
    error instanceof UnsupportedData
      ? unsupportedPath(error.data)
      : /mapping key "(.+)" already defined/.exec(message)?.[1]
  return new KustomizeError(message, { file, field }, error)
}
