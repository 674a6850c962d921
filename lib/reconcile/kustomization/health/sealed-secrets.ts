import { gunzipSync, gzipSync } from 'node:zlib'
import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import { type KeyScope, type Keys, UnsealFailed } from '../../../platform/ports/keys.ts'

const scope: KeyScope = { purpose: 'builds' }

/** Of one unit and one build. */
interface Place {
  readonly applier: Kustomization
  readonly digest: string
}

const contextOf = ({ applier: { metadata }, digest }: Place): string =>
  `health-check/${metadata.namespace}/${metadata.uid}/${digest}`

/** The secrets of a build in a form that may be stored; undefined if it has none. */
export const sealSecrets = async (
  place: Place,
  secrets: readonly string[],
  keys: Pick<Keys, 'seal'>,
): Promise<string | undefined> => {
  if (secrets.length === 0) return undefined
  const sealed = await keys.seal(gzipSync(JSON.stringify(secrets)), contextOf(place), scope)
  return Buffer.from(sealed).toString('base64')
}

/** The secrets; none if they are not what was sealed for this unit and build. Fails with KeysUnavailable. */
export const openSecrets = async (
  place: Place,
  sealed: string | undefined,
  keys: Pick<Keys, 'open'>,
): Promise<readonly string[]> => {
  if (sealed === undefined) return []
  try {
    const opened = await keys.open(Buffer.from(sealed, 'base64'), contextOf(place), scope)
    return JSON.parse(gunzipSync(opened).toString())
  } catch (error) {
    if (error instanceof UnsealFailed) return []
    throw error
  }
}
