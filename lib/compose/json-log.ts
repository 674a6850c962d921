import type { Log, LogFields } from '../platform/ports/log.ts'

export type LogLevel = 'info' | 'error' | 'none'

/** Log lines as JSON objects, one per line, with the field names of Flux's controllers (`ts`, `level`, `msg`, `error`). */
export const jsonLog = (stream: NodeJS.WritableStream, level: LogLevel, now: () => number): Log => {
  const line = (severity: 'info' | 'error', message: string, fields: LogFields): void => {
    stream.write(`${JSON.stringify({ level: severity, ts: new Date(now()).toISOString(), msg: message, ...fields })}\n`)
  }
  return {
    info: (message, fields = {}) => {
      if (level === 'info') line('info', message, fields)
    },
    error: (message, { error, ...fields } = {}) => {
      if (level === 'none') return
      line('error', message, { ...fields, ...(error !== undefined && { error: describe(error) }) })
    },
  }
}

/** The error with its causes; the stack only for bugs, by class (TypeError and the like). */
const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const text = bugs.some(bug => error instanceof bug) ? (error.stack ?? error.message) : error.message
  return error.cause === undefined ? text : `${text}: ${describe(error.cause)}`
}

const bugs = [TypeError, RangeError, ReferenceError, SyntaxError]
