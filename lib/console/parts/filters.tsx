import type { ComponentChildren } from 'preact'
import { localInput, timeOfInput } from '../model/time-input.ts'
import { useNavigation } from './navigation.tsx'

/** Sets a term of the address, and begins with the first page. */
const useTerm = (name: string) => {
  const { query, here, go } = useNavigation()
  return {
    value: query[name] ?? '',
    set: (event: Event) =>
      go(here({ [name]: (event.currentTarget as HTMLInputElement).value, continue: undefined }), 'replace'),
  }
}

interface TermProps {
  /** In the address. */
  readonly term: string
  readonly label: string
  /** The label is shown above the field, and not for screen readers alone. */
  readonly isNamed?: boolean
}

const Label = ({ label, isNamed }: Pick<TermProps, 'label' | 'isNamed'>) =>
  isNamed ? label : <span class="hidden">{label}</span>

const fieldClass = ({ isNamed }: Pick<TermProps, 'isNamed'>): string => (isNamed ? 'field named' : 'field')

/** Filters while one types. */
export const SearchTerm = ({ term, label, placeholder }: TermProps & { readonly placeholder: string }) => {
  const { value, set } = useTerm(term)
  return (
    <label class="field">
      <span class="hidden">{label}</span>
      <input type="search" value={value} placeholder={placeholder} onInput={set} />
    </label>
  )
}

/** Filters when it is complete. */
export const TextTerm = ({ term, placeholder, ...shown }: TermProps & { readonly placeholder?: string }) => {
  const { value, set } = useTerm(term)
  return (
    <label class={fieldClass(shown)}>
      <Label {...shown} />
      <input value={value} placeholder={placeholder} spellcheck={false} onChange={set} />
    </label>
  )
}

/** A time: in the viewer's zone in the field, RFC 3339 in the address. */
export const TimeTerm = ({ term, label }: TermProps) => {
  const { query, here, go } = useNavigation()
  const set = (text: string) => go(here({ [term]: timeOfInput(text), continue: undefined }), 'replace')
  return (
    <label class="field named">
      {label}
      <input type="datetime-local" value={localInput(query[term])} onChange={event => set(event.currentTarget.value)} />
    </label>
  )
}

interface ChoiceProps extends TermProps {
  /** The text for no choice. */
  readonly all: string
  readonly options: readonly (readonly [value: string, text: string])[]
}

/** Filters by one of some values, or by none. */
export const ChoiceTerm = ({ term, all, options, ...shown }: ChoiceProps) => {
  const { value, set } = useTerm(term)
  return (
    <label class={fieldClass(shown)}>
      <Label {...shown} />
      <select value={value} onChange={set}>
        <option value="">{all}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A filter that came with a link, and how to remove it. */
export const SetTerm = ({ term, children }: { readonly term: string; readonly children: ComponentChildren }) => {
  const { query, here } = useNavigation()
  if (!query[term]) return null
  return (
    <a class="chip" href={here({ [term]: undefined, continue: undefined })} title="Remove this filter">
      {children}
      {' ×'}
    </a>
  )
}
