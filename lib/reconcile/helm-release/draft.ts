import type { HelmRelease, HelmReleaseStatus } from '../../foundations/kinds/helm-release.ts'
import type { Condition } from '../../foundations/kinds/object.ts'
import { conditionOf, type NewCondition, withCondition, withoutCondition } from '../../foundations/rules/conditions.ts'
import type { StatusChange, StatusUpdate } from '../runtime/reconciler.ts'

type Fields = StatusChange<HelmRelease>

/**
 * The status of a HelmRelease during a pass. Actions and reports change it here; `change` returns what to store. helm-controller keeps the
 * conditions of this kind itself, rather than in the shared runtime, and so does this.
 */
export class Draft {
  readonly release: HelmRelease
  /** The release as its cluster knows it: the namespace may have another name there than on the hub. */
  onCluster: HelmRelease
  private readonly now: () => number
  private current: HelmReleaseStatus
  private readonly touched = new Map<string, NewCondition | null>()
  private fields: Record<string, unknown> = {}

  constructor(release: HelmRelease, now: () => number) {
    this.release = release
    this.onCluster = release
    this.now = now
    this.current = release.status ?? {}
  }

  get status(): HelmReleaseStatus {
    return this.current
  }

  /** Sets the name of the release's namespace on its cluster. */
  placeIn(namespace: string): void {
    this.onCluster = { ...this.release, metadata: { ...this.release.metadata, namespace } }
  }

  condition(type: string): Condition | undefined {
    return conditionOf(this.current.conditions as readonly Condition[] | undefined, type)
  }

  /** Sets fields; null or undefined removes one. */
  set(fields: Fields): void {
    const status: Record<string, unknown> = { ...this.current }
    for (const [name, value] of Object.entries(fields)) {
      this.fields[name] = value ?? null
      if (value === null || value === undefined) delete status[name]
      else status[name] = value
    }
    this.current = status as HelmReleaseStatus
  }

  mark(type: string, status: Condition['status'], reason: string, message: string): void {
    const condition = { status, reason, message }
    this.touched.set(type, condition)
    const observation = { now: this.now(), generation: this.release.metadata.generation }
    this.conditions(before => withCondition(before, type, condition, observation))
  }

  remove(type: string): void {
    if (!this.condition(type)) return
    this.touched.set(type, null)
    this.conditions(before => withoutCondition(before, type))
  }

  /** Reconciling and Stalled exclude each other. */
  markReconciling(reason: string, message: string): void {
    this.remove('Stalled')
    this.mark('Reconciling', 'True', reason, message)
  }

  markStalled(reason: string, message: string): void {
    this.remove('Reconciling')
    this.mark('Stalled', 'True', reason, message)
  }

  /** Resets Ready if its reason belongs to a step that has succeeded now (HR-025). */
  clearReady(...reasons: readonly string[]): void {
    const ready = this.condition('Ready')
    if (ready && reasons.includes(ready.reason))
      this.mark('Ready', 'Unknown', 'Progressing', 'reconciliation in progress')
  }

  /** All changes since the pass began. */
  change(): StatusUpdate<HelmRelease> {
    return { status: this.fields as Fields, conditions: Object.fromEntries(this.touched) }
  }

  private conditions(edit: (before: readonly Condition[]) => readonly Condition[]): void {
    const conditions = edit((this.current.conditions ?? []) as readonly Condition[])
    this.current = { ...this.current, conditions: [...conditions] } as HelmReleaseStatus
  }
}
