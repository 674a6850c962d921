import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { decodeJson, encodeJson } from '../../clusters/client/encode-json.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { KeyScope, Keys } from '../../platform/ports/keys.ts'

export interface BuildStorePorts {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put' | 'delete'>
  readonly keys: Keys
}

/** What units have applied, by the digest of the objects. */
export interface SealedBuilds<B> {
  put(unit: KubernetesObject, digest: string, build: B): Promise<void>
  /** Undefined if it is not stored. Fails with UnsealFailed if it is not what was stored for this unit. */
  get(unit: KubernetesObject, digest: string): Promise<B | undefined>
  delete(unit: KubernetesObject, digest: string): Promise<void>
}

/** The folder of all of them. */
export const keptFolder = 'kept/'

const scope: KeyScope = { purpose: 'builds' }
const [packed, unpacked] = [promisify(gzip), promisify(gunzip)]

/** Stores builds as JSON, sealed: they contain what was decrypted for them, and values of Secrets that they have copied. */
export const sealedBuilds = <B>({ artifacts, keys }: BuildStorePorts): SealedBuilds<B> => ({
  async put(unit, digest, build) {
    const name = nameOf(unit, digest)
    await artifacts.put(name, await keys.seal(await packed(encodeJson(build)), name, scope))
  },
  async get(unit, digest) {
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) return undefined
    const name = nameOf(unit, digest)
    const sealed = await artifacts.get(name)
    if (!sealed) return undefined
    return decodeJson((await unpacked(await keys.open(sealed, name, scope))).toString()) as B
  },
  delete: (unit, digest) => artifacts.delete(nameOf(unit, digest)),
})

const nameOf = ({ metadata: { namespace, uid } }: KubernetesObject, digest: string): string =>
  `${keptFolder}${namespace}/${uid}/${digest.replace(/^sha256:/, '')}`
