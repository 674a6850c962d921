/** A cluster that refuses a change may quote what the object is, not only what it is to become. */
import type { ApplyError } from '../../clusters/apply/apply-error.ts'
import { fieldDifferences } from '../../clusters/apply/field-diff.ts'
import type { PruneFailure } from '../../clusters/apply/prune.ts'
import { servedVersion } from '../../clusters/apply/served-version.ts'
import { type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import { encodeJson } from '../../clusters/client/encode-json.ts'
import { isSecret, masking, secretValues, textsIn } from '../../clusters/client/mask-secret.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { type KubernetesObject, type ObjectRef, refKey, refOf } from '../../foundations/kinds/object.ts'
import { inventoryObject } from '../../foundations/rules/inventory.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { Manifests } from './build/build-manifests.ts'

interface Place {
  readonly cluster: ClusterClient
  readonly pass: Pass<Kustomization>
}

/** Notes what refused objects have where their build has the value of a Secret, such as the former value of a variable. The client masks Secrets itself. */
export const noteReplaced = async (
  place: Place,
  { failures, outage }: ApplyError,
  { objects, secrets }: Pick<Manifests, 'objects' | 'secrets'>,
): Promise<void> => {
  if (outage || secrets.secrets().length === 0) return
  const isSecretText = (text: string) => secrets.masked(text) !== text
  const refused = new Set(failures.map(({ ref }) => refKey(ref)))
  const built = objects.filter(
    object =>
      refused.has(refKey(refOf(object))) &&
      !isSecret(object) &&
      (secrets.isHidden(object) || isSecretText(encodeJson(object))),
  )
  const replacedIn = async (object: KubernetesObject): Promise<readonly string[]> => {
    const live = await read(place, object.apiVersion, refOf(object))
    if (!live) return []
    const isTaken = (to: unknown) => to !== undefined && (secrets.isHidden(object) || textsIn(to).some(isSecretText))
    return [...fieldDifferences(live, object)].flatMap(({ from, to }) => (isTaken(to) ? textsIn(from) : []))
  }
  noteTexts(place.pass, (await Promise.all(built.map(replacedIn))).flat())
}

/**
 * Notes all that objects contain whose deletion was refused, if the Kustomization decrypts or takes variables of Secrets: they have left its build, so
 * it is not known which of their values are secret.
 */
export const notePruned = async (
  place: Place,
  { spec: { decryption, postBuild } }: Kustomization,
  failures: readonly PruneFailure[],
): Promise<void> => {
  const takesSecrets = decryption !== undefined || postBuild?.substituteFrom?.some(({ kind }) => kind === 'Secret')
  if (!takesSecrets) return
  const contents = failures
    .filter(({ outage }) => !outage)
    .map(async ({ entry }) => {
      const { apiVersion, ref } = inventoryObject(entry)
      if (ref.group === '' && ref.kind === 'Secret') return []
      const live = await read(place, apiVersion, ref)
      if (!live) return []
      const { labels, annotations } = live.metadata
      const { apiVersion: _, kind, metadata, ...fields } = live
      return textsIn([labels, annotations, fields])
    })
  noteTexts(place.pass, (await Promise.all(contents)).flat())
}

const noteTexts = (pass: Place['pass'], texts: readonly string[]): void => {
  if (texts.length > 0) pass.note(masking(() => secretValues([], texts)))
}

/** Undefined if it can't be read: then the cluster hardly quoted it either. */
const read = async (
  { cluster, pass: { signal } }: Place,
  apiVersion: string,
  ref: ObjectRef,
): Promise<KubernetesObject | undefined> => {
  try {
    const version = await servedVersion(cluster, apiVersion, ref, signal)
    return version ? await cluster.get(version, ref, { signal }) : undefined
  } catch (error) {
    if (error instanceof ClusterError) return undefined
    throw error
  }
}
