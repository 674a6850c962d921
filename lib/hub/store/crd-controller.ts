import type { CustomResourceDefinition } from '../../foundations/kinds/custom-resource-definition.ts'
import type { Condition, KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { NameDecision } from './accept-names.ts'
import { isDeleted, isHeld } from './deletion.ts'
import type { Hub } from './hub.ts'
import { ApiError } from './hub.ts'
import type { KindCatalog } from './kind-catalog.ts'
import { isDefinition } from './kind-catalog.ts'
import { cleanupFinalizer } from './strategies.ts'

export interface CrdControllerPorts {
  readonly hub: () => Pick<Hub, 'list' | 'update' | 'delete'>
  readonly catalog: KindCatalog
  /** RFC 3339. */
  readonly now: () => string
  /** Called when work fails; the next sweep retries it. */
  readonly onError: (error: unknown) => void
}

/** Sets each definition's status, and deletes the objects of deleted definitions. Level-triggered. */
export interface CrdController {
  notice(ref: ObjectRef, after: KubernetesObject | undefined): void
  sweep(): Promise<void>
  settled(): Promise<void>
}

const options = { fieldManager: 'kube-apiserver', subresource: 'status' } as const

export const crdController = ({ hub, catalog, now, onError }: CrdControllerPorts): CrdController => {
  let working: Promise<void> | undefined
  let isAgainWanted = false

  const reconcileAll = async () => {
    // Let the triggering write respond first.
    await new Promise(setImmediate)
    do {
      isAgainWanted = false
      for (const definition of catalog.definitions())
        await reconcile(definition).catch(error => {
          if (!isOvertaken(error)) onError(error)
        })
    } while (isAgainWanted)
    working = undefined
  }
  const enqueue = () => {
    isAgainWanted = true
    working ??= reconcileAll()
  }

  const reconcile = async (definition: CustomResourceDefinition) => {
    if (isDeleted(definition)) return clearAway(definition)
    const verdict = catalog.nameDecisions().get(definition.metadata.name)
    if (verdict) await report(definition, namesConditions(definition, verdict, now()), verdict)
  }

  const report = async (
    definition: CustomResourceDefinition,
    conditions: readonly Condition[],
    verdict?: NameDecision,
  ) => {
    const { spec, status } = definition
    const acceptedNames = verdict && !verdict.conflict ? spec.names : status?.acceptedNames
    const next = { ...status, conditions, acceptedNames, storedVersions: status?.storedVersions ?? [] }
    if (isSameJson(next, status)) return definition
    return hub().update({ ...definition, status: next } as CustomResourceDefinition, options)
  }

  /** Deletes the objects of the kind; after the last one, the definition can be deleted. */
  const clearAway = async (definition: CustomResourceDefinition) => {
    if (!definition.metadata.finalizers?.includes(cleanupFinalizer)) return
    const { group, names } = definition.spec
    if (!catalog.nameDecisions().get(definition.metadata.name)?.isServed) return release(definition)
    const begun = await report(definition, [...others(definition), terminating(definition, true, now())])
    const { items } = await hub().list({ group, kind: names.kind })
    let isAnyLeft = false
    for (const object of items) {
      const last = isDeleted(object) ? object : await hub().delete(refOf(object), { uid: object.metadata.uid })
      isAnyLeft ||= isHeld(last)
    }
    if (!isAnyLeft) await release(begun)
  }

  const release = async (definition: CustomResourceDefinition) => {
    const finalizers = definition.metadata.finalizers?.filter(name => name !== cleanupFinalizer)
    await hub().update(
      { ...definition, metadata: { ...definition.metadata, finalizers } },
      { fieldManager: options.fieldManager },
    )
  }

  const isOfGoingKind = ({ group, kind }: ObjectRef): boolean =>
    catalog.definitions().some(definition => {
      const { spec } = definition
      return isDeleted(definition) && spec.group === group && spec.names.kind === kind
    })

  return {
    notice: (ref, after) => {
      if (isDefinition(ref) || (!after && isOfGoingKind(ref))) enqueue()
    },
    sweep: async () => {
      await catalog.refresh()
      enqueue()
      await working
    },
    settled: async () => {
      while (working) await working
    },
  }
}

const others = ({ status }: CustomResourceDefinition): readonly Condition[] =>
  ((status?.conditions ?? []) as readonly Condition[]).filter(({ type }) => type !== 'Terminating')

const terminating = (definition: CustomResourceDefinition, isRunning: boolean, now: string): Condition =>
  condition(
    definition,
    now,
    'Terminating',
    isRunning,
    'InstanceDeletionInProgress',
    'CustomResource deletion is in progress',
  )

const namesConditions = (
  definition: CustomResourceDefinition,
  { conflict }: NameDecision,
  now: string,
): readonly Condition[] => {
  const say = (type: string, holds: boolean, reason: string, message: string) =>
    condition(definition, now, type, holds, reason, message)
  const rest = ((definition.status?.conditions ?? []) as readonly Condition[]).filter(
    ({ type }) => type !== 'NamesAccepted' && type !== 'Established',
  )
  if (conflict)
    return [
      say('NamesAccepted', false, conflict.reason, conflict.message),
      say('Established', false, 'NotAccepted', 'not all names are accepted'),
      ...rest,
    ]
  return [
    say('NamesAccepted', true, 'NoConflicts', 'no conflicts found'),
    say('Established', true, 'InitialNamesAccepted', 'the initial names have been accepted'),
    ...rest,
  ]
}

/** The transition time changes only with the status. */
const condition = (
  { status: known }: CustomResourceDefinition,
  now: string,
  type: string,
  holds: boolean,
  reason: string,
  message: string,
): Condition => {
  const status = holds ? 'True' : 'False'
  const before = (known?.conditions as readonly Condition[] | undefined)?.find(one => one.type === type)
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now
  return { type, status, lastTransitionTime, reason, message }
}

/** Another writer changed or removed the object first: that change triggers its own notice. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof ApiError && (error.reason === 'NotFound' || error.reason === 'Conflict')
