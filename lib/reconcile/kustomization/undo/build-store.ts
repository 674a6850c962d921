import { masking } from '../../../clusters/client/mask-secret.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { type BuildStorePorts, type SealedBuilds, sealedBuilds } from '../../kept-builds/sealed-builds.ts'
import type { SpecOfGeneration } from '../approved-spec.ts'
import type { Manifests } from '../build/build-manifests.ts'
import { keyWithoutNamespace } from '../build/build-secrets.ts'
import type { Revision } from '../events.ts'

/** What a unit has applied, as it was built then. */
export interface StoredBuild {
  readonly revision: Revision
  readonly manifests: Manifests
  /** How it was applied last. Absent in what older versions have stored. */
  readonly appliedAs?: SpecOfGeneration
}

/** Manifests of units by their digest. */
export interface BuildStore extends Pick<SealedBuilds<StoredBuild>, 'get' | 'delete'> {
  put(unit: KubernetesObject, build: StoredBuild): Promise<void>
}

interface Encoded {
  readonly revision: Revision
  readonly appliedAs?: SpecOfGeneration
  readonly objects: readonly {
    readonly object: KubernetesObject
    readonly origin?: string
    readonly isHidden?: true
  }[]
  readonly secrets: readonly string[]
}

/** Manifests in the form in which they can be applied again: with origins, and with what must stay hidden. */
export const buildStore = (ports: BuildStorePorts): BuildStore => {
  const builds = sealedBuilds<Encoded>(ports)
  return {
    put: (unit, build) => builds.put(unit, build.manifests.digest, encode(build)),
    async get(unit, digest) {
      const encoded = await builds.get(unit, digest)
      return encoded && decode(encoded, digest)
    },
    delete: builds.delete,
  }
}

const encode = ({ revision, manifests, appliedAs }: StoredBuild): Encoded => ({
  revision,
  ...(appliedAs && { appliedAs }),
  objects: manifests.objects.map(object => {
    const origin = manifests.originOf(object)
    const isHidden = manifests.secrets.isHidden(object)
    return { object, ...(origin !== undefined && { origin }), ...(isHidden && { isHidden }) }
  }),
  secrets: manifests.secrets.secrets(),
})

const decode = ({ revision, objects, secrets, appliedAs }: Encoded, digest: string): StoredBuild => {
  const facts = new Map(objects.map(({ object, ...rest }) => [object, rest]))
  const hidden = new Set(objects.filter(({ isHidden }) => isHidden).map(({ object }) => keyWithoutNamespace(object)))
  return {
    revision,
    ...(appliedAs && { appliedAs }),
    manifests: {
      objects: objects.map(({ object }) => object),
      digest,
      originOf: object => facts.get(object)?.origin,
      secrets: { isHidden: object => hidden.has(keyWithoutNamespace(object)), ...masking(() => secrets) },
    },
  }
}
