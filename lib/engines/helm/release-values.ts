import { compareBytes } from '../../foundations/go/compare-text.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import { fromJson } from '../template/values/from-json.ts'
import { toJsonValue } from '../template/values/to-json.ts'
import type { ValueMap } from '../template/values/value.ts'
import { emitJson } from '../yaml/emit-json.ts'
import { copyValue } from './chart-tree.ts'
import { HelmError } from './helm-error.ts'
import { isTable, notAMapping, overlay, readYaml } from './read-yaml.ts'
import { parseSet } from './set-values.ts'

/** The content that an entry of a HelmRelease's `valuesFrom` refers to. */
export interface ReferredValues {
  readonly content: string
  /** Path in `--set` syntax where the content is set as one value; if absent, the content is a YAML map. */
  readonly targetPath?: string
  /** Takes the content literally. */
  readonly literal?: boolean
}

/**
 * The values of a HelmRelease as helm-controller composes them: the references in order, then the inline values. A value that a reference sets at a
 * path within a map of the inline values is kept, since both share that map; at the top level the inline value wins. Throws HelmError.
 */
export const releaseValues = (references: readonly ReferredValues[], given: ValueMap): ValueMap => {
  const inline = copyValue(given)
  let values: ValueMap = new Map()
  for (const { content, targetPath, literal = false } of references) {
    if (!targetPath) values = overlay(values, mappingIn(content))
    else {
      values = overlay(values, inline)
      setPath(values, targetPath, content, literal)
    }
  }
  return overlay(values, inline)
}

const mappingIn = (content: string): ValueMap => {
  const json = readYaml(content)
  const value = json === null ? new Map() : fromJson(json, { integers: 'float64' })
  if (!isTable(value)) throw new HelmError(notAMapping(json, 'common.Values'))
  return value
}

/** Quoted content is set as a string. */
const setPath = (values: ValueMap, path: string, content: string, literal: boolean): void => {
  try {
    if (literal) parseSet(values, `${path}=${content.replace(/[\\,[\]{}]/g, '\\$&')}`, 'set-string')
    else if (/^'.*'$|^".*"$/s.test(content) || content === "'" || content === '"')
      parseSet(values, `${path}=${content.replace(/^['"]+|['"]+$/g, '')}`, 'set-string')
    else parseSet(values, `${path}=${content}`, 'set')
  } catch (error) {
    throw new HelmError(errorMessage(error), error)
  }
}

/** The digest by which helm-controller detects changed values, `sha256:...`: of YAML with sorted keys, or of nothing if there are no values. */
export const valuesDigest = (values: ValueMap): string => {
  const text = values.size === 0 ? '' : emitJson(toJsonValue(values), compareBytes)
  return sha256Digest(text)
}
