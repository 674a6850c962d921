import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAwsHub } from '../../../../lib/compose/aws/aws-hub.ts'
import { readAwsEnvironment } from '../../../../lib/compose/aws/environment.ts'
import { observability } from '../../../../lib/compose/aws/observability.ts'
import { connections } from '../../../../lib/http/connections.ts'
import { guardedFetch } from '../../../../lib/http/guarded-fetch.ts'
import { jsonServer } from '../../../bed/json-server.ts'

const variables = {
  ...{
    KEELSON_HUB_NAME: 'hub',
    KEELSON_TABLE: 't',
    KEELSON_BUCKET: 'b',
    KEELSON_KMS_KEY: 'k',
    AWS_REGION: 'eu-west-1',
  },
  ...{ KEELSON_QUEUE_SOURCE: 's', KEELSON_QUEUE_BUILD: 'b', KEELSON_QUEUE_APPLY: 'a' },
  ...{ KEELSON_QUEUE_RESOURCESET: 'r', KEELSON_QUEUE_NOTIFY: 'n' },
}

test("no address that a user names leads to a function's own runtime", async () => {
  const { AWS_ENDPOINT_URL: before } = process.env
  delete process.env.AWS_ENDPOINT_URL
  try {
    const { ports, cloud } = openAwsHub(readAwsEnvironment(variables), observability('hub'))
    const runtime = await jsonServer(() => ({ json: { event: 'of somebody else' } }))
    const wires = connections(ports.outside)
    const byName = runtime.url.replace('127.0.0.1', 'localhost')
    for (const url of [runtime.url, byName])
      await assert.rejects(
        guardedFetch(wires)(url),
        { name: 'ForbiddenAddress', message: /is a loopback address/ },
        url,
      )
    await Promise.all([wires.close(), cloud.close()])
  } finally {
    if (before !== undefined) process.env.AWS_ENDPOINT_URL = before
  }
})
