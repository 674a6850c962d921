import { apiVersionOf } from '../foundations/kinds/all.ts'
import { pruneGuarded } from '../foundations/kinds/applied.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { type Condition, describeRef, type KubernetesObject, type ObjectRef } from '../foundations/kinds/object.ts'
import { CommandFailed } from './command-failed.ts'
import { parseTarget } from './flux-kinds.ts'
import type { HubAccess } from './hub-access.ts'

/** A Kustomization, ResourceSet or HelmRelease: it applies objects. */
type Unit = KubernetesObject & { readonly status?: { readonly conditions?: readonly Condition[] } }

interface NamedUnit {
  readonly kind: Kind
  readonly ref: ObjectRef
  /** For messages. */
  readonly title: string
}

/** The kinds whose deletions the guard holds back. */
export const guardedKinds: readonly string[] = ['Kustomization', 'ResourceSet', 'HelmRelease']

/** The kinds that are bound to a cluster by their inventory. */
export const boundKinds: readonly string[] = ['Kustomization', 'ResourceSet']

/** The unit on a command line, as KIND/NAME or KIND NAME. Fails for other kinds. */
export const unitNamed = (
  word: string,
  name: string | undefined,
  { namespace, kinds }: { readonly namespace: string; readonly kinds: readonly string[] },
): NamedUnit => {
  const { kind, name: found = name } = parseTarget(word)
  if (!found) throw new CommandFailed(`'${word}' does not name an object: use KIND/NAME`)
  if (!kinds.includes(kind.kind)) throw new CommandFailed(`not for a ${kind.kind}: name a ${kinds.join(' or ')}`)
  const ref = { group: kind.group, kind: kind.kind, namespace, name: found }
  return { kind, ref, title: describeRef(ref) }
}

/** Throws CommandFailed if there is no such unit. */
export const readUnit = async ({ cluster, signal }: HubAccess, kind: Kind, ref: ObjectRef): Promise<Unit> => {
  const unit = (await cluster.get(apiVersionOf(kind), ref, { signal })) as Unit | undefined
  if (!unit) throw new CommandFailed(`${describeRef(ref)} not found`)
  return unit
}

/** The message of a unit that holds back the deletions with a digest. Fails if it holds back none, or others. */
export const requireHeld = ({ status }: Unit, title: string, digest: string): string => {
  const guarded = status?.conditions?.find(condition => condition.type === pruneGuarded && condition.status === 'True')
  if (!guarded) throw new CommandFailed(`${title} does not hold back deletions`)
  const { message } = guarded
  if (message.includes(`--digest ${digest}`)) return message
  throw new CommandFailed(`the deletions that ${title} holds back do not have the digest ${digest}: ${message}`)
}

/** Sets annotations, and requests a reconciliation. */
export const annotateUnit = async (
  { cluster, signal }: HubAccess,
  kind: Kind,
  ref: ObjectRef,
  annotations: Readonly<Record<string, string>>,
): Promise<void> => {
  const requested = { 'reconcile.fluxcd.io/requestedAt': new Date().toISOString() }
  const patch = { metadata: { annotations: { ...annotations, ...requested } } }
  await cluster.patch(apiVersionOf(kind), ref, { type: 'merge', patch }, { fieldManager: 'keelson', signal })
}
