import type { ComponentChildren } from 'preact'
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
}

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
export const TextTerm = ({ term, label, placeholder }: TermProps & { readonly placeholder: string }) => {
  const { value, set } = useTerm(term)
  return (
    <label class="field">
      <span class="hidden">{label}</span>
      <input value={value} placeholder={placeholder} spellcheck={false} onChange={set} />
    </label>
  )
}

interface ChoiceProps extends TermProps {
  /** The text for no choice. */
  readonly all: string
  readonly options: readonly (readonly [value: string, text: string])[]
}

export const ChoiceTerm = ({ term, label, all, options }: ChoiceProps) => {
  const { value, set } = useTerm(term)
  return (
    <label class="field">
      <span class="hidden">{label}</span>
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
