import type { Log, LogFields } from '../platform/ports/log.ts'

export type LogLevel = 'info' | 'error' | 'none'

/** Log lines as JSON objects, one to a line, in the field names of Flux's controllers (`ts`, `level`, `msg`, `error`). */
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

/** The error with its causes; the stack only of what is a bug by its class (TypeError and the like). */
const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const text = bugs.some(bug => error instanceof bug) ? (error.stack ?? error.message) : error.message
  return error.cause === undefined ? text : `${text}: ${describe(error.cause)}`
}

const bugs = [TypeError, RangeError, ReferenceError, SyntaxError]
