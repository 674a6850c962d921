import type { Approval } from '../../foundations/kinds/approval.ts'
import { shown } from '../model/shown-state.ts'
import { State } from './state.tsx'
import { Ago } from './time.tsx'

/** Who has decided what, and when; nothing while nobody has. */
export const Decisions = ({ of: decisions }: { readonly of: readonly Approval[] }) =>
  decisions.length === 0 ? null : (
    <section class="panel" aria-label="Decisions">
      <div class="bar">
        <h2>Decisions</h2>
      </div>
      <ul class="facts-list">
        {decisions.map(({ metadata, spec: { approver, decision, comment, subject } }) => (
          <li key={metadata.name}>
            <p class="line">
              <State of={decision === 'Rejected' ? shown('failing', decision) : shown('ready', 'Approved')} />
              <span class="break">{`by ${approver ?? 'nobody known'}`}</span>
              {subject.stage && <span class="quiet">{`stage ${subject.stage}`}</span>}
              <span class="right quiet">
                <Ago time={metadata.creationTimestamp} />
              </span>
            </p>
            {comment && <p class="quiet break lines">{comment}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
