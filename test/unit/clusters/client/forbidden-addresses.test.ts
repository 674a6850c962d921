import assert from 'node:assert/strict'
import { test } from 'node:test'
import { httpsTransport } from '../../../../lib/clusters/client/https-transport.ts'
import { addressPolicy } from '../../../../lib/foundations/rules/address-policy.ts'

const metadata = ['169.254.169.254', '[fe80::1]', '[::ffff:a9fe:a9fe]', '0xa9fea9fe']
const machine = ['127.0.0.1', '[::1]', 'localhost', '0x7f000001', '[::ffff:127.0.0.1]']
const strict = addressPolicy({ forbidAddresses: [], allowAddresses: [] })
const elsewhere = 'https://192.0.2.1'

const ask = async (cluster: { server: string; proxyUrl?: string }, forbids = strict): Promise<void> => {
  const { send, close } = httpsTransport({ ...cluster, insecureSkipTlsVerify: false, warnings: [] }, { forbids })
  try {
    await send({ method: 'GET', path: '/api', headers: {}, signal: AbortSignal.timeout(5_000) })
  } finally {
    await close()
  }
}

test('no kubeconfig leads to a link-local address, nor a proxy of one', async () => {
  for (const host of metadata) {
    await assert.rejects(ask({ server: `https://${host}` }), /Get "https:.*": .* is a link-local address/, host)
    const through = ask({ server: elsewhere, proxyUrl: `http://${host}` })
    await assert.rejects(through, /is a link-local address/, host)
  }
})

test('where this machine is forbidden too, none leads to it', async () => {
  for (const host of machine) {
    await assert.rejects(ask({ server: `http://${host}:9001` }), /is a loopback address/, host)
    const through = ask({ server: elsewhere, proxyUrl: `http://${host}:9001` })
    await assert.rejects(through, /is a loopback address/, host)
  }
})
