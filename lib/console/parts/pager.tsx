import { count } from '../model/phrases.ts'
import { useNavigation } from './navigation.tsx'

interface Props {
  readonly pageSize: number
  readonly shown: number
  readonly total: number
  /** Where the following page begins. */
  readonly next: string | undefined
}

/** The pages of a list that the hub counts: the term `continue` of the address. Nothing for a single page. */
export const Pager = ({ pageSize, shown, total, next }: Props) => {
  const { query, here } = useNavigation()
  const from = Number(query.continue ?? 0)
  if (!next && from === 0) return null
  return (
    <nav class="pages" aria-label="Pages of the list">
      {from > 0 && <a href={here({ continue: from > pageSize ? String(from - pageSize) : undefined })}>Earlier</a>}
      <span class="quiet">{`${count(from + 1)} to ${count(from + shown)} of ${count(total)}`}</span>
      {next && <a href={here({ continue: next })}>Further</a>}
    </nav>
  )
}

/** The link to the following page of a list that the hub does not count; nothing on the last one. */
export const Further = ({ next, text = 'Further' }: { readonly next: string | undefined; readonly text?: string }) => {
  const { here } = useNavigation()
  return next ? (
    <nav class="pages" aria-label="Pages of the list">
      <a href={here({ continue: next })}>{text}</a>
    </nav>
  ) : null
}
