import type { RecordedRequest } from '../../bed/recording-proxy.ts'
import { type Shape, shapeOf } from './shape.ts'

/** What one flux command asked of the API server, and what of the answers it relies on. */
export interface Conversation {
  readonly command: string
  readonly version: string
  readonly exchanges: readonly Exchange[]
}

export interface Exchange {
  readonly method: string
  readonly path: string
  /** The request's headers that steer the answer. */
  readonly accept: string
  readonly contentType?: string
  /** `<now>` stands for the time at which the command was given. */
  readonly body?: string
  readonly status: number
  readonly answerType: string
  /** Absent for answers that are not JSON. */
  readonly answer?: Shape
}

/** The time that a command puts into `requestedAt`: RFC 3339 with nanoseconds. */
const requestTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{4,9}Z/g

/** Reduces what went through the proxy: polls to their last answer, answers to their shape, the times sent to `<now>`. */
export function exchangesOf(requests: readonly RecordedRequest[]): Exchange[] {
  const sent = requests.flatMap(request => request.body.match(requestTime) ?? [])
  const masked = (text: string) => sent.reduce((all, time) => all.replaceAll(time, '<now>'), text)
  const seen = requests.map(request => {
    const body = masked(request.body)
    const answerType = request.contentType.split(';')[0]!
    return {
      method: request.method,
      path: request.path,
      accept: request.headers.accept ?? '*/*',
      ...(request.headers['content-type'] && { contentType: request.headers['content-type'] }),
      ...(body && { body }),
      status: request.status,
      answerType,
      ...(answerType === 'application/json' && { answer: shapeOf(JSON.parse(masked(request.answer))) }),
    }
  })
  return seen.filter((exchange, i) => exchange.method !== 'GET' || !isSameQuestion(exchange, seen[i + 1]))
}

const isSameQuestion = (one: Exchange, other: Exchange | undefined) =>
  other?.method === one.method && other.path === one.path && other.accept === one.accept
