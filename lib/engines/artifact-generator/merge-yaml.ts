import { errorMessage } from '../../foundations/rules/error-message.ts'
import { overlay, readValues } from '../helm/read-yaml.ts'
import { writeYaml } from '../template/functions/encoding.ts'

/**
 * Merges one YAML file over another: maps are merged, anything else is replaced, as Helm merges values. The documents of a file are first
 * merged into one. The result is one document with sorted keys, without comments. Fails with the message of source-watcher.
 */
export const mergeYaml = (below: Uint8Array, above: Uint8Array): Uint8Array => {
  // The file that is copied is read first, which decides which of two errors is reported.
  const values = read(above)
  return Buffer.from(writeYaml(overlay(read(below), values)))
}

const read = (content: Uint8Array) => {
  try {
    return readValues(content)
  } catch (error) {
    throw new Error(errorMessage(error).replace('yaml document', 'YAML document'), { cause: error })
  }
}
