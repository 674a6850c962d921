/** What a person can undo, and how a unit that was undone follows its source again. Pure. */
import { redoPatch, undoPatch } from '../../foundations/fleet/actions.ts'
import { isOff, undoneMessage } from '../../foundations/fleet/object-state.ts'
import { runsToReturnTo, undoRefusal } from '../../foundations/fleet/undo-targets.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { undoOf } from '../../foundations/kinds/undo.ts'
import { unheld } from '../../foundations/rules/pin.ts'
import type { UndoView } from '../../hub-client/read-undo.ts'
import type { ObjectPatch } from '../../hub-client/send-requests.ts'
import type { Action } from './action.ts'
import { revisionText } from './phrases.ts'

const undoReason = { label: 'Reason, for those who find it undone', isRequired: true } as const

/** The return to what a run has applied; undefined if there is none, or the person may not. */
export const returnTo = (view: UndoView, name: string): Action | undefined => {
  const { kind, unit, runs, mayPatch } = view
  const run = runsToReturnTo(unit, runs).find(({ metadata }) => metadata.name === name)
  if (!run?.manifests || !mayPatch || undoRefusal(unit)) return undefined
  const { name: unitName, namespace = '' } = unit.metadata
  const revision = revisionText(run.revision)
  const pinned = unheld(unit).replace(/; $/, '')
  return {
    ...{ label: 'Return to this…', style: 'plain', done: `${unitName} returns to ${revision}` },
    question: {
      ...{ title: `Return ${unitName} to ${revision}`, confirm: 'Return', reason: undoReason },
      text: `${kind.kind} ${namespace}/${unitName} applies again what this run has applied, and keeps it until somebody resumes it. Newer revisions wait.`,
      note: `Windows, approvals and held deletions count as for any change.${pinned ? ` ${pinned}.` : ''}`,
      takenBack: runs.slice(0, runs.indexOf(run)).filter(({ changes = [] }) => changes.length > 0),
    },
    requests: ({ reason }) => [{ kind, namespace, name: unitName, body: undoPatch(run.manifests!, reason) }],
  }
}

/** Why nothing can be undone, in sentences; none if something can. */
export const missingUndo = ({ kind, unit, runs, mayPatch }: UndoView, user: string): readonly string[] => {
  if (!mayPatch) return [`No undo: ${user} may not patch ${kind.plural} in the namespace ${unit.metadata.namespace}.`]
  const refusal = undoRefusal(unit)
  if (refusal) return [`No undo: it ${refusal}.`]
  return runsToReturnTo(unit, runs).length > 0 ? [] : ['No undo: no earlier run has applied something else.']
}

/** For a unit that was undone, or is to be. */
export const followAgain = (object: KubernetesObject, own: (body: object) => ObjectPatch): readonly Action[] => {
  if (!undoOf(object) || isOff(object)) return []
  const { name } = object.metadata
  const message = undoneMessage(object)
  return [
    {
      ...{ label: 'Resume…', style: 'plain', done: `${name} follows its source again` },
      question: {
        ...{ title: `Resume ${name}`, confirm: 'Resume' },
        text: message === undefined ? 'It is to be undone.' : withoutResume(message),
        note: 'It follows its source again: what is newer is applied at once.',
      },
      requests: ({ now }) => [own(redoPatch(new Date(now).toISOString()))],
    },
  ]
}

/** What a unit keeps, without the command: the page has a button in its place. */
export const withoutResume = (message: string): string =>
  message.replace(/; to (?:follow the source|try this one) again, run: .*$/, '')
