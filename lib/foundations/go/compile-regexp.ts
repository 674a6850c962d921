import { RE2JS } from 're2js'

/** A byte that is not UTF-8, as text holds it. */
const LONE = /\p{Surrogate}/u

/** An expression in RE2's syntax, which matches in linear time. Fails with the message of Go, which quotes the invalid part even if it is empty. */
export const compileRegexp = (source: string): RE2JS => {
  const broken = source.search(LONE)
  if (broken >= 0) throw new Error(`error parsing regexp: invalid UTF-8: \`${source.slice(broken)}\``)
  try {
    return RE2JS.compile(source)
  } catch (error) {
    throw new Error((error as Error).message.replace(/at end of expression$/, '$&: ``'))
  }
}
