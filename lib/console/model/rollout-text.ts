/** What the console says of Rollouts and their runs. Pure. */
import {
  type ClosedGate,
  type RolloutRun,
  type RolloutRunStatus,
  revisionsIn,
  type StageStatus,
} from '../../foundations/kinds/rollout-run.ts'
import { type GateSpec, gateNameOf, gateTypeOf } from '../../foundations/kinds/rollout-stages.ts'
import { counted, revisionText } from './phrases.ts'
import { type Shown, shown } from './shown-state.ts'

/** The state of a run of a Rollout, by its phase and what it is paused or waits for. */
export const stateOfRolloutRun = ({ phase, pausedFor, waitsFor = [], step }: RolloutRunStatus = {}): Shown => {
  switch (phase) {
    case 'Succeeded':
      return shown('ready', phase)
    case 'Paused':
      return pausedFor === 'Failed' ? shown('failing', 'Failed') : shown('waiting', phase)
    case 'RollingBack':
      return shown('progressing', 'Going back')
    case 'RolledBack':
      return shown('failing', 'Gone back')
    case 'Aborted':
    case 'Superseded':
      return shown('suspended', phase)
    default:
      return step !== 'Rolling' && waitsFor.length > 0 ? shown('waiting') : shown('progressing')
  }
}

/** The revisions of the sources of a run, in short: `main@3f9c2e1, 1.4.0`. */
export const revisionsOf = (run: RolloutRun): string => revisionsIn(run).map(revisionText).join(', ')

/** The first line: how things stand. */
export const rolloutHeadline = (run: RolloutRun): string => {
  const { phase, pausedFor, stages = [], stage = 0, step, message = '' } = run.status ?? {}
  const name = run.spec.stages[stage]?.name ?? ''
  const at = stages[stage]
  switch (phase) {
    case 'Succeeded':
      return stages.length > 0 && stages.every(isEmpty)
        ? 'No stage selects a cluster'
        : `All stages run ${revisionsOf(run)}`
    case 'Paused':
      return pausedFor === 'Failed' ? sentence(message) : `Paused in stage ${name}`
    case 'RollingBack':
      return 'Units go back to the revision before'
    case 'RolledBack':
    case 'Aborted':
    case 'Superseded':
      return sentence(message)
    default:
      if (step !== 'Rolling' || !at) return `Waits ${step === 'After' ? 'after' : 'before'} stage ${name}`
      return `Stage ${name}${isEmpty(at) ? ' ' : ': '}${readyText(at)}`
  }
}

/** Of clusters, now: they may be made later. */
const isEmpty = ({ clusters }: StageStatus): boolean => clusters === 0

/** How many clusters of a stage are ready. */
export const readyText = (stage: StageStatus): string =>
  isEmpty(stage) ? 'selects no cluster' : `${stage.ready} of ${counted(stage.clusters, 'cluster')} ready`

/** What a run waits for, as a sentence. */
export const waitText = (text: string): string => (/^(?:it|gate) /.test(text) ? sentence(text) : `Waits for ${text}`)

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** A stage with what is known of its progress. */
export interface StageView {
  readonly name: string
  readonly state: Shown
  /** Absent until the run has been driven once. */
  readonly progress: StageStatus | undefined
  readonly before: readonly GateView[]
  /** Gates of each cluster. */
  readonly eachCluster: readonly GateView[]
  readonly after: readonly GateView[]
}

export interface GateView {
  readonly name: string
  readonly text: string
  readonly state: Shown
}

/** The stages of a run in their order, with their gates and clusters, as far as the run has come. */
export const stagesOf = (run: RolloutRun): readonly StageView[] => {
  const { spec, status = {} } = run
  const { hotfix } = spec
  return spec.stages.map((stage, at) => {
    const { before = [], after = [], eachCluster = {} } = spec.isHotfix ? (hotfix ?? {}) : stage
    const ofCluster = (gate: GateSpec, step: ClosedGate['step']): GateView => {
      const { name, text, state } = gateView(gate, stateOfClusterGate(gate, { at, name: stage.name, step }, status))
      return { name, text: `${step.toLowerCase()} each cluster: ${text}`, state }
    }
    return {
      name: stage.name,
      state: stateOfStage(at, status),
      progress: status.stages?.[at],
      before: before.map(gate => gateView(gate, stateOfGate(gate, { at, step: 'Before' }, status))),
      eachCluster: [
        ...(eachCluster.before ?? []).map(gate => ofCluster(gate, 'Before')),
        ...(eachCluster.after ?? []).map(gate => ofCluster(gate, 'After')),
      ],
      after: after.map(gate => gateView(gate, stateOfGate(gate, { at, step: 'After' }, status))),
    }
  })
}

const notYet = shown('suspended', 'Not yet')

const stateOfStage = (at: number, status: RolloutRunStatus): Shown => {
  const { phase = 'Running', stage = 0, step } = status
  if (phase === 'Succeeded') return shown('ready', 'Done')
  if (phase === 'RollingBack' || phase === 'RolledBack')
    return at <= stage || status.rollback !== 'Stage' ? stateOfRolloutRun(status) : notYet
  if (at > stage) return notYet
  if (at < stage) return shown('ready', 'Done')
  if (phase !== 'Running') return stateOfRolloutRun(status)
  return step === 'Rolling'
    ? shown('progressing')
    : shown('waiting', step === 'After' ? 'Gates after it' : 'Gates before it')
}

/** A gate of the step under way is open unless the status names it; those of earlier steps were open. */
const stateOfGate = (
  gate: GateSpec,
  { at, step }: { readonly at: number; readonly step: 'Before' | 'After' },
  { phase = 'Running', stage = 0, step: current = 'Before', closedGates = [] }: RolloutRunStatus,
): Shown => {
  const passed = phase === 'Succeeded' || at < stage || (at === stage && step === 'Before' && current !== 'Before')
  if (passed) return shown('ready', 'Open')
  if (at > stage || step !== current || phase !== 'Running') return notYet
  const isClosed = closedGates.some(one => !one.cluster && one.gate === gateNameOf(gate) && one.step === step)
  return isClosed ? shown('waiting') : shown('ready', 'Open')
}

/** Waiting while a cluster is at it. */
const stateOfClusterGate = (
  gate: GateSpec,
  { at, name, step }: { readonly at: number; readonly name: string; readonly step: ClosedGate['step'] },
  { phase = 'Running', stage = 0, step: current = 'Before', closedGates = [] }: RolloutRunStatus,
): Shown => {
  const isClosed = (one: ClosedGate): boolean =>
    one.cluster !== undefined && one.stage === name && one.step === step && one.gate === gateNameOf(gate)
  if (closedGates.some(isClosed)) return shown('waiting')
  const isPassed = phase === 'Succeeded' || at < stage || (at === stage && current === 'After')
  return isPassed ? shown('ready', 'Open') : at === stage && current === 'Rolling' ? shown('progressing') : notYet
}

const gateView = (gate: GateSpec, state: Shown): GateView => ({ name: gateNameOf(gate), text: gateText(gate), state })

const gateText = (gate: GateSpec): string => {
  switch (gateTypeOf(gate)) {
    case 'wait':
      return `waits ${gate.wait}`
    case 'healthyFor':
      return `all ready for ${gate.healthyFor}`
    case 'expression':
      return gate.expression!
    case 'query':
      return `${gate.query!.expression}, of ${hostOf(gate.query!.url)}`
    case 'windows':
      return 'in its windows'
    case 'approval':
      return `approved by ${counted(gate.approval!.minApprovals ?? 1, 'user')}`
  }
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url
