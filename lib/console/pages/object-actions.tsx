import { useState } from 'preact/hooks'
import {
  allowPrunePatch,
  guardedDigest,
  reconcilePatch,
  resumePatch,
  suspendPatch,
} from '../../foundations/fleet/actions.ts'
import { isOff, statusCondition } from '../../foundations/fleet/object-state.ts'
import { pruneGuarded } from '../../foundations/kinds/applied.ts'
import type { ObjectView } from '../api/read-object.ts'
import { resourcePath } from '../api/resource-path.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useConsole } from '../parts/scope.tsx'
import { useShortcut } from '../parts/shortcuts.tsx'

interface Props {
  readonly view: ObjectView
  readonly refresh: () => void
}

/** What the person may do with the object. Buttons that they may not press are absent, and it says why. */
export const ObjectActions = ({ view: { object, kind, allowed }, refresh }: Props) => {
  const { api, announce } = useConsole()
  const [asking, setAsking] = useState<'suspend' | 'prune'>()
  const { name, namespace } = object.metadata
  const patch = async (body: object, done: string) => {
    await api.mergePatch(resourcePath(kind, { namespace, name }), body)
    announce(done)
    refresh()
  }
  const attempt = (body: object, done: string) =>
    void patch(body, done).catch((error: Error) => announce(error.message))
  const isSuspended = isOff(object)
  const now = () => new Date().toISOString()
  const reconcile = () => attempt(reconcilePatch(now()), `Requested a reconciliation of ${name}`)
  useShortcut('r', () => allowed.mayPatch && !isSuspended && reconcile())
  if (!allowed.mayPatch)
    return (
      <p class="quiet why-not" title={allowed.why}>
        {`No actions: ${allowed.why}.`}
      </p>
    )
  const guarded = statusCondition(object, pruneGuarded)
  const digest = guarded?.status === 'True' ? guardedDigest(guarded.message) : undefined
  return (
    <>
      {!isSuspended && (
        <button type="button" class="main" onClick={reconcile}>
          Reconcile
        </button>
      )}
      {isSuspended ? (
        <button type="button" class="main" onClick={() => attempt(resumePatch(object), `Resumed ${name}`)}>
          Resume
        </button>
      ) : (
        <button type="button" onClick={() => setAsking('suspend')}>
          Suspend…
        </button>
      )}
      {digest && (
        <button type="button" class="danger" onClick={() => setAsking('prune')}>
          Allow deletions…
        </button>
      )}
      {asking === 'suspend' && (
        <Dialog
          title={`Suspend ${name}`}
          action="Suspend"
          withReason
          onClose={() => setAsking(undefined)}
          onConfirm={reason => patch(suspendPatch(object, reason), `Suspended ${name}`)}
        >
          <p>
            {`${kind.kind} ${namespace}/${name} is not reconciled until somebody resumes it. What it has applied stays as it is.`}
          </p>
        </Dialog>
      )}
      {asking === 'prune' && digest && (
        <Dialog
          title={`Allow the deletions of ${name}`}
          action="Delete these"
          isDanger
          withReason={false}
          onClose={() => setAsking(undefined)}
          onConfirm={() => patch(allowPrunePatch(digest, now()), `Allowed the deletions of ${name}`)}
        >
          <p class="break lines">{guarded!.message.replace(/; to delete exactly these[\s\S]*/, '')}</p>
          <p class="quiet">Exactly these are deleted, once. If the list has changed in the meantime, nothing is.</p>
        </Dialog>
      )}
    </>
  )
}
