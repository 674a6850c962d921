import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware'
import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import { hub } from './function-hub.ts'

type Handle<Event, Result> = (event: Event, context: Context) => Promise<Result>

/** A handler that logs with its request's ID, and waits for background work before it ends. */
export const observedHandler = <Event, Result>(handle: Handle<Event, Result>): Handle<Event, Result> =>
  middy<Event, Result>()
    .use(injectLambdaContext(hub.observability.logger))
    .handler(async (event: Event, context: Context) => {
      try {
        return await handle(event, context)
      } finally {
        await hub.hub.settled()
      }
    }) as unknown as Handle<Event, Result>
