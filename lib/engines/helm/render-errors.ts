import { errorMessage } from '../../foundations/rules/error-message.ts'
import { TemplateError } from '../template/template-error.ts'
import { RenderError } from './helm-error.ts'

/** Marks messages of `required` and `fail`, to distinguish them from Go's. */
const MARKED = /HELM_ERR_START(.*)HELM_ERR_END/s

/**
 * A message between Helm's marks, by which `executionError` recognizes it behind the position that the template engine
 * prepends.
 */
export const marked = (message: string): string => `HELM_ERR_START${message}HELM_ERR_END`

/** The error of a template that can't be parsed: position, and the last part of the message. */
export const parseError = (path: string, message: string, cause: unknown): RenderError => {
  const parts = message.split(': ')
  if (parts.length === 1) return new RenderError(`parse error in (${path}): ${message}`, cause)
  return new RenderError(`parse error at (${parts[1]}): ${parts.at(-1)}`, cause)
}

/**
 * The error of a failed template. A message of the chart itself (`required`, `fail`) follows the position in the outermost template; other errors
 * become a trace of the templates, if all of it is Go's.
 */
export const executionError = (error: unknown): unknown => {
  if (!(error instanceof TemplateError)) return error
  const { message } = error
  const [, place, rest] = /^(.*?): (.*?): (.*)$/s.exec(message)?.slice(1) ? splitTwice(message) : []
  if (place === undefined || rest === undefined) return new RenderError(message, error)
  const said = MARKED.exec(rest)?.[1]
  if (said !== undefined) return new RenderError(`execution error at (${place}): ${said}`, error)
  return new RenderError(traceOf(error) ?? message, error)
}

const splitTwice = (text: string): string[] => {
  const first = text.indexOf(': ')
  const second = text.indexOf(': ', first + 2)
  return [text.slice(0, first), text.slice(first + 2, second), text.slice(second + 2)]
}

/** The lines of Helm's trace; undefined where a part of the chain isn't Go's. */
const traceOf = (error: unknown): string | undefined => {
  const lines: string[] = []
  for (let current = error; current instanceof Error; current = current.cause) {
    const line = traceLine(errorMessage(current))
    if (line === undefined) return undefined
    if (lines.at(-1) !== line) lines.push(line)
  }
  return lines.join('').trim()
}

const traceLine = (message: string): string | undefined => {
  if (!message.startsWith('template: ')) return undefined
  const rest = message.slice('template: '.length)
  if (rest.startsWith('no template ')) return written('', '', message)
  return executingLine(rest) ?? simpleLine(rest)
}

/** `NAME:LINE:COLUMN: executing "NAME" at <NODE>: MESSAGE` */
const executingLine = (text: string): string | undefined => {
  const at = text.indexOf(': executing ')
  if (at < 0) return undefined
  const after = text.slice(at + ': executing '.length)
  const end = after.indexOf('"', 1)
  if (!after.startsWith('"') || end < 0 || !after.startsWith(' at <', end + 1)) return undefined
  const node = after.slice(end + 1 + ' at <'.length)
  const close = node.indexOf('>: ')
  if (close < 0) return undefined
  const problem = withoutChain(node.slice(close + '>: '.length))
  return written(text.slice(0, at), `executing "${after.slice(1, end)}" at <${node.slice(0, close)}>:`, problem)
}

const simpleLine = (text: string): string | undefined => {
  const at = text.lastIndexOf(': ')
  return at < 0 ? undefined : written(text.slice(0, at), '', withoutChain(text.slice(at + 2)))
}

/** The rest is the next link of the chain. */
const withoutChain = (message: string): string => {
  const cut = message.indexOf(' template:')
  return cut < 0 ? message : message.slice(0, cut)
}

const written = (location: string, executing: string, message: string): string =>
  (location && `${location}\n  `) + (executing && `${executing}\n    `) + (message && `${message}\n`)
