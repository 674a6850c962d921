import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { decodeJson, encodeJson } from '../../../clusters/client/encode-json.ts'
import { masking } from '../../../clusters/client/mask-secret.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { ArtifactStore } from '../../../platform/ports/artifacts.ts'
import type { KeyScope, Keys } from '../../../platform/ports/keys.ts'
import type { Manifests } from '../build/build-manifests.ts'
import { keyWithoutNamespace } from '../build/build-secrets.ts'
import type { Revision } from '../events.ts'

/** What a unit has applied, as it was built then. */
export interface StoredBuild {
  readonly revision: Revision
  readonly manifests: Manifests
}

export interface BuildStorePorts {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put' | 'delete'>
  readonly keys: Keys
}

/** Manifests of a unit by their digest, sealed: they contain what was decrypted for them. */
export interface BuildStore {
  put(unit: KubernetesObject, build: StoredBuild): Promise<void>
  /** Undefined if they are not stored. Fails with UnsealFailed if they are not those that were stored for this unit. */
  get(unit: KubernetesObject, digest: string): Promise<StoredBuild | undefined>
  delete(unit: KubernetesObject, digest: string): Promise<void>
}

/** The folder of all of them. */
export const keptFolder = 'kept/'

const scope: KeyScope = { purpose: 'builds' }
const [packed, unpacked] = [promisify(gzip), promisify(gunzip)]

interface Encoded {
  readonly revision: Revision
  readonly objects: readonly {
    readonly object: KubernetesObject
    readonly origin?: string
    readonly isHidden?: true
  }[]
  readonly secrets: readonly string[]
}

/** Builds as blobs, compressed and sealed under their name: one that was put in another's place doesn't open. */
export const buildStore = ({ artifacts, keys }: BuildStorePorts): BuildStore => ({
  async put(unit, { revision, manifests }) {
    const name = nameOf(unit, manifests.digest)
    const encoded: Encoded = {
      revision,
      objects: manifests.objects.map(object => {
        const origin = manifests.originOf(object)
        const isHidden = manifests.secrets.isHidden(object)
        return { object, ...(origin !== undefined && { origin }), ...(isHidden && { isHidden }) }
      }),
      secrets: manifests.secrets.secrets(),
    }
    await artifacts.put(name, await keys.seal(await packed(encodeJson(encoded)), name, scope))
  },
  async get(unit, digest) {
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) return undefined
    const name = nameOf(unit, digest)
    const sealed = await artifacts.get(name)
    if (!sealed) return undefined
    const text = (await unpacked(await keys.open(sealed, name, scope))).toString()
    const { revision, objects, secrets } = decodeJson(text) as Encoded
    const facts = new Map(objects.map(({ object, ...rest }) => [object, rest]))
    const hidden = new Set(objects.filter(({ isHidden }) => isHidden).map(({ object }) => keyWithoutNamespace(object)))
    return {
      revision,
      manifests: {
        objects: objects.map(({ object }) => object),
        digest,
        originOf: object => facts.get(object)?.origin,
        secrets: { isHidden: object => hidden.has(keyWithoutNamespace(object)), ...masking(() => secrets) },
      },
    }
  },
  delete: (unit, digest) => artifacts.delete(nameOf(unit, digest)),
})

const nameOf = ({ metadata: { namespace, uid } }: KubernetesObject, digest: string): string =>
  `${keptFolder}${namespace}/${uid}/${digest.replace(/^sha256:/, '')}`
