import type { RE2JS } from 're2js'
import { compileRegexp } from '../../../foundations/go/compile-regexp.ts'
import { expand } from '../../../foundations/go/expand.ts'
import { quote } from '../../../foundations/go/quote.ts'
import { type FunctionMap, stringList, TemplateFunction, type Value } from '../values/value.ts'
import { orElse } from './or-else.ts'

/** Cache of compiled expressions: templates use the same few again and again. */
const MAX_CACHED = 200

interface Match {
  readonly start: number
  readonly end: number
  /** Group 0 is the whole match. */
  readonly group: (group: number | string) => string
}

/** Up to `limit` matches, or all if negative. As in Go, an empty match never directly follows another match. */
const findAll = (expression: RE2JS, text: string, limit: number): Match[] => {
  const matcher = expression.matcher(text)
  const names = new Set(Object.keys(expression.namedGroups()))
  const matches: Match[] = []
  let previousEnd = -1
  while ((limit < 0 || matches.length < limit) && matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()]
    if (end === previousEnd) continue
    previousEnd = end
    const numbered = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i))
    const named = new Map([...names].map(name => [name, matcher.group(name)]))
    matches.push({ start, end, group: key => (typeof key === 'number' ? numbered[key] : named.get(key)) ?? '' })
  }
  return matches
}

const replaceAll = (expression: RE2JS, text: string, replacement: (match: Match) => string): string => {
  let out = ''
  let end = 0
  for (const match of findAll(expression, text, -1)) {
    out += text.slice(end, match.start) + replacement(match)
    end = match.end
  }
  return out + text.slice(end)
}

const split = (expression: RE2JS, text: string, limit: number, source: string): Value => {
  if (limit === 0) return stringList([], true)
  if (source !== '' && text === '') return stringList([''])
  const parts: string[] = []
  let start = 0
  let end = 0
  for (const match of findAll(expression, text, limit)) {
    if (parts.length === limit - 1) break
    end = match.start
    if (match.end !== 0) parts.push(text.slice(start, end))
    start = match.end
  }
  return stringList(end === text.length ? parts : [...parts, text.slice(start)])
}

const quoteMeta = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')

/** Characters that Go can't write in backquotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what cannot
const UNQUOTABLE = /[\0-\x08\n-\x1f`\x7f\ufeff\ud800-\udfff]/u

/** Go's regular expressions, in linear time. */
export const regexFunctions = (): FunctionMap => {
  const compiled = new Map<string, RE2JS>()
  const compile = (source: string): RE2JS => {
    const known = compiled.get(source)
    if (known) return known
    if (compiled.size >= MAX_CACHED) compiled.clear()
    const expression = compileRegexp(source)
    compiled.set(source, expression)
    return expression
  }
  /** Without `must` sprig panics, with the expression in the message. */
  const mustCompile = (source: string): RE2JS => {
    try {
      return compile(source)
    } catch (error) {
      const shown = UNQUOTABLE.test(source) ? quote(source) : `\`${source}\``
      throw new Error(`regexp: Compile(${shown}): ${(error as Error).message}`)
    }
  }
  const matches = (source: string, text: string): boolean => compile(source).matcher(text).find()
  const both = (
    name: string,
    make: (compile: (source: string) => RE2JS) => TemplateFunction,
  ): [string, TemplateFunction][] => [
    [name, make(mustCompile)],
    [`mustR${name.slice(1)}`, make(compile)],
  ]
  return new Map([
    [
      'regexMatch',
      new TemplateFunction(['string', 'string'], (source: string, text: string) =>
        orElse(() => matches(source, text), false),
      ),
    ],
    ['mustRegexMatch', new TemplateFunction(['string', 'string'], matches)],
    ['regexQuoteMeta', new TemplateFunction(['string'], quoteMeta)],
    ...both(
      'regexFind',
      compile =>
        new TemplateFunction(
          ['string', 'string'],
          (source: string, text: string) => findAll(compile(source), text, 1)[0]?.group(0) ?? '',
        ),
    ),
    ...both(
      'regexFindAll',
      compile =>
        new TemplateFunction(['string', 'string', 'int'], (source: string, text: string, limit: number) => {
          const found = findAll(compile(source), text, limit)
          return stringList(
            found.map(match => match.group(0)),
            found.length === 0,
          )
        }),
    ),
    ...both(
      'regexReplaceAll',
      compile =>
        new TemplateFunction(['string', 'string', 'string'], (source: string, text: string, template: string) =>
          replaceAll(compile(source), text, ({ group }) => expand(template, group)),
        ),
    ),
    ...both(
      'regexReplaceAllLiteral',
      compile =>
        new TemplateFunction(['string', 'string', 'string'], (source: string, text: string, literal: string) =>
          replaceAll(compile(source), text, () => literal),
        ),
    ),
    ...both(
      'regexSplit',
      compile =>
        new TemplateFunction(['string', 'string', 'int'], (source: string, text: string, limit: number) =>
          split(compile(source), text, limit, source),
        ),
    ),
  ])
}
