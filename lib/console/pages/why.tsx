import { heldList } from '../../foundations/fleet/actions.ts'
import { objectStateOf, statusCondition } from '../../foundations/fleet/object-state.ts'
import { pruneGuarded } from '../../foundations/kinds/applied.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { waitingCondition } from '../../foundations/kinds/window.ts'
import type { ObjectView } from '../../hub-client/read-object.ts'
import { withoutCommand } from '../model/deletion-actions.ts'
import { objectHref, parseObjectName } from '../model/route.ts'
import { type Shown, shownStateOf } from '../model/shown-state.ts'
import { withoutResume } from '../model/undo-actions.ts'
import { Since } from '../parts/time.tsx'

/** The answer of `keelson why`, on top of the page. */
export const Why = ({ view: { object, explanation } }: { readonly view: ObjectView }) => {
  const state = shownStateOf(object)
  const since = statusCondition(object, 'Ready')?.lastTransitionTime
  const text = (wanted: string) => explanation.details.find(([name]) => name === wanted)?.[1]
  const because = explanation.details.filter(([name]) => name === 'because of')
  const reason = text('reason') ?? objectStateOf(object).message
  return (
    <section class={`why ${state.state}`} aria-label="Why">
      <strong class={`state ${state.state}`}>
        <span>
          {headlineOf(state)}
          {since && (
            <>
              {' for '}
              <Since time={since} />
            </>
          )}
        </span>
      </strong>
      {reason && <p class="break lines">{withoutResume(withoutCommand(reason))}</p>}
      {text('guarded') && <p class="break lines">{withoutCommand(text('guarded')!)}</p>}
      {(['undone', 'waits', 'override', 'ignored', 'requested'] as const).map(name => {
        const found = text(name)
        return found ? (
          <p key={name} class="break">
            {name === 'requested' ? `Requested ${found}` : withoutResume(found)}
          </p>
        ) : null
      })}
      {isDecided(object) && (
        <p>
          <a href={objectHref({ kind: object.kind, ...object.metadata }, 'plans')}>Review its plans</a>
        </p>
      )}
      {because.map(([, cause]) => (
        <p key={cause} class="break">
          {'Because of '}
          <Cause text={cause} />
        </p>
      ))}
      <p class="next break">{nextOf(object, text('next'))}</p>
    </section>
  )
}

const headlineOf = ({ state, word }: Shown): string => {
  switch (state) {
    case 'ready':
      return 'Ready'
    case 'failing':
      return word === 'Stalled' ? 'Stalled' : 'Not ready'
    case 'unreachable':
      return 'Its cluster does not answer'
    case 'waiting':
      return word === 'Held' ? 'Deletions are held' : 'Waiting'
    default:
      return word
  }
}

/** Whether a change of it waits for a decision, or was rejected. */
const isDecided = (object: KubernetesObject): boolean => {
  const waiting = statusCondition(object, waitingCondition)
  return waiting?.status === 'True' && (waiting.reason === 'ApprovalRequired' || waiting.reason === 'PlanRejected')
}

/** The page has buttons in place of commands. */
const nextOf = (object: KubernetesObject, next: string | undefined): string => {
  const guarded = statusCondition(object, pruneGuarded)
  if (guarded?.status === 'True' && heldList(guarded.message))
    return 'Next: nothing of it is deleted until somebody allows it, or the objects are back in the build'
  return next ? `Next: ${next}` : ''
}

/** `Kind/namespace/name, which is failing...`, with a link to the object. */
const Cause = ({ text }: { readonly text: string }) => {
  const [, name = '', rest = ''] = /^([^,\s]+)([\s\S]*)$/.exec(text) ?? []
  const found = parseObjectName(name)
  return found ? (
    <>
      <a href={objectHref(found)}>{name}</a>
      {rest}
    </>
  ) : (
    <span>{text}</span>
  )
}
