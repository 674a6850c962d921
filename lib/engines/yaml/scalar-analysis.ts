import { isBlankOrEnd, isBreak, SPACE, TAB } from './characters.ts'

/** The styles that can represent a text. */
export interface ScalarAnalysis {
  readonly flowPlain: boolean
  readonly blockPlain: boolean
  readonly single: boolean
  readonly block: boolean
}

/** go-yaml v2 writes the output of a build, v3 edited documents; they differ in how they treat tabs. */
export type Emitter = 'v2' | 'v3'

const EMPTY: ScalarAnalysis = { flowPlain: false, blockPlain: true, single: true, block: false }

const ALWAYS_INDICATORS = '#,[]{}&*!|>\'"%@`'

/** Printable according to libyaml; a surrogate represents a character beyond the basic plane, which it escapes. */
export const isPrintable = (c: number): boolean =>
  c === 10 || (c >= 0x20 && c <= 0x7e) || (c >= 0xa0 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd && c !== 0xfeff)

/** The styles in which an emitter of libyaml may write a text without changing it. */
export const analyzeScalar = (text: string, emitter: Emitter): ScalarAnalysis => {
  if (text === '') return EMPTY
  return ASCII.test(text) ? analyzeAscii(text) : analyzeAny(text, emitter)
}

/** Nearly all texts: printable, with no breaks but newlines, and without tabs. */
const ASCII = /^[\n -~]+$/
const BLOCK_INDICATOR = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[-?](?: |$))|:(?: |$)| #/
const FLOW_INDICATOR = /[,?:[\]{}]/

/** What `analyzeAny` says of such a text, by patterns: it takes a fifth of the time. */
const analyzeAscii = (text: string): ScalarAnalysis => {
  const breaks = text.includes('\n')
  const spaceBreak = breaks && text.includes(' \n')
  const endsInSpace = text.endsWith(' ')
  const plain = !breaks && !endsInSpace && !text.startsWith(' ')
  const blockPlain = plain && !BLOCK_INDICATOR.test(text)
  return {
    flowPlain: blockPlain && !FLOW_INDICATOR.test(text),
    blockPlain,
    single: !spaceBreak && !(breaks && text.includes('\n ')),
    block: !endsInSpace && !spaceBreak,
  }
}

/** By characters. Exported for the test that holds the patterns against it. */
export const analyzeAny = (text: string, emitter: Emitter): ScalarAnalysis => {
  let blockIndicator = text.startsWith('---') || text.startsWith('...')
  let flowIndicator = blockIndicator
  let breaks = false
  let tabs = false
  let special = false
  let breakSpace = false
  let spaceBreak = false
  let previous: 'space' | 'break' | '' = ''
  let afterBlank = true
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    const last = i + 1 === text.length
    const beforeBlank = last || text.charCodeAt(i + 1) === SPACE
    if (i === 0) {
      if (ALWAYS_INDICATORS.includes(text[0]!)) flowIndicator = blockIndicator = true
      else if (c === 63 || c === 58) {
        flowIndicator = true
        blockIndicator ||= beforeBlank
      } else if (c === 45 && beforeBlank) flowIndicator = blockIndicator = true
    } else if (c === 58) {
      flowIndicator = true
      blockIndicator ||= beforeBlank
    } else if (c === 35) {
      if (afterBlank) flowIndicator = blockIndicator = true
    } else if (c === 44 || c === 63 || c === 91 || c === 93 || c === 123 || c === 125) flowIndicator = true

    if (c === TAB && emitter === 'v3') tabs = true
    else if (!isPrintable(c)) special = true
    if (c === SPACE) {
      if (previous === 'break') breakSpace = true
      previous = 'space'
    } else if (isBreak(c)) {
      breaks = true
      if (previous === 'space') spaceBreak = true
      previous = 'break'
    } else previous = ''
    afterBlank = isBlankOrEnd(c)
  }
  const first = text.charCodeAt(0)
  const edge = first === SPACE || isBreak(first) || previous !== ''
  const plain = !edge && !breakSpace && !spaceBreak && !special && !tabs && !breaks
  return {
    flowPlain: plain && !flowIndicator,
    blockPlain: plain && !blockIndicator,
    single: !breakSpace && !spaceBreak && !special && !tabs,
    block: previous !== 'space' && !spaceBreak && !special,
  }
}
