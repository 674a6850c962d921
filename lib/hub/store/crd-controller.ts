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

/**
 * The controller over a hub's definitions. Its work begins after the write that has triggered it is committed, and runs
 * one sweep at a time.
 */
export const crdController = ({ hub, catalog, now, onError }: CrdControllerPorts): CrdController => {
  let working: Promise<void> | undefined
  let isRequested = false

  const reconcileAll = async () => {
    // Let the triggering write respond first.
    await new Promise(setImmediate)
    do {
      isRequested = false
      for (const definition of catalog.definitions())
        await reconcile(definition).catch(error => {
          if (!isOvertaken(error)) onError(error)
        })
    } while (isRequested)
    working = undefined
  }
  const enqueue = () => {
    isRequested = true
    working ??= reconcileAll()
  }

  const reconcile = async (definition: CustomResourceDefinition) => {
    if (isDeleted(definition)) return deleteObjects(definition)
    const decision = catalog.nameDecisions().get(definition.metadata.name)
    if (decision) await report(definition, namesConditions(definition, decision, now()), decision)
  }

  const report = async (
    definition: CustomResourceDefinition,
    conditions: readonly Condition[],
    decision?: NameDecision,
  ) => {
    const { spec, status } = definition
    const acceptedNames = decision && !decision.conflict ? spec.names : status?.acceptedNames
    const next = { ...status, conditions, acceptedNames, storedVersions: status?.storedVersions ?? [] }
    if (isSameJson(next, status)) return definition
    return hub().update({ ...definition, status: next } as CustomResourceDefinition, options)
  }

  /** Deletes the objects of the kind; after the last one, the definition can be deleted. */
  const deleteObjects = async (definition: CustomResourceDefinition) => {
    if (!definition.metadata.finalizers?.includes(cleanupFinalizer)) return
    const { group, names } = definition.spec
    if (!catalog.nameDecisions().get(definition.metadata.name)?.isServed) return release(definition)
    const reported = await report(definition, [...others(definition), terminating(definition, true, now())])
    const { items } = await hub().list({ group, kind: names.kind })
    let isAnyRemaining = false
    for (const object of items) {
      const last = isDeleted(object) ? object : await hub().delete(refOf(object), { uid: object.metadata.uid })
      isAnyRemaining ||= isHeld(last)
    }
    if (!isAnyRemaining) await release(reported)
  }

  const release = async (definition: CustomResourceDefinition) => {
    const finalizers = definition.metadata.finalizers?.filter(name => name !== cleanupFinalizer)
    await hub().update(
      { ...definition, metadata: { ...definition.metadata, finalizers } },
      { fieldManager: options.fieldManager },
    )
  }

  const isOfTerminatingKind = ({ group, kind }: ObjectRef): boolean =>
    catalog.definitions().some(definition => {
      const { spec } = definition
      return isDeleted(definition) && spec.group === group && spec.names.kind === kind
    })

  return {
    notice: (ref, after) => {
      if (isDefinition(ref) || (!after && isOfTerminatingKind(ref))) enqueue()
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
  const conditionFor = (type: string, holds: boolean, reason: string, message: string) =>
    condition(definition, now, type, holds, reason, message)
  const rest = ((definition.status?.conditions ?? []) as readonly Condition[]).filter(
    ({ type }) => type !== 'NamesAccepted' && type !== 'Established',
  )
  if (conflict)
    return [
      conditionFor('NamesAccepted', false, conflict.reason, conflict.message),
      conditionFor('Established', false, 'NotAccepted', 'not all names are accepted'),
      ...rest,
    ]
  return [
    conditionFor('NamesAccepted', true, 'NoConflicts', 'no conflicts found'),
    conditionFor('Established', true, 'InitialNamesAccepted', 'the initial names have been accepted'),
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
