import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AuditEntry } from '../../../lib/foundations/fleet/audit-entry.ts'
import type { AuditEvent } from '../../../lib/hub/apiserver/audit/audit-event.ts'
import { logGroups } from '../../bed/aws/log-groups.ts'
import { eventually } from '../../bed/eventually.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'

/** Who did what, by the audit log. */
export function keepsRecord(hub: DeployedHub): void {
  const { hubName, emulator, account, admin, stranger } = hub
  const logs = logGroups(emulator)
  const namespace = 'recorded'
  const planted = 'never-on-record'

  const messages = async (): Promise<readonly string[]> => {
    const { KEELSON_AUDIT_LOG_GROUP: group = '' } = await account.environmentOf(`${hubName}-apiserver`)
    return logs.messages(group)
  }
  const recorded = async (): Promise<readonly AuditEvent[]> => {
    const events = (await messages()).map(message => JSON.parse(message) as AuditEvent)
    return events.filter(({ objectRef }) => objectRef?.namespace === namespace)
  }
  const shown = ({ verb, stage, objectRef, responseStatus }: AuditEvent): string =>
    `${verb} ${objectRef?.resource}/${objectRef?.name ?? ''} ${stage} ${responseStatus?.code}`

  describe('keeps a record', inOrder, () => {
    test('of writes, of reads of Secrets by people, and of who was refused, with who it was and from where', async () => {
      await admin.kubectl('create', 'namespace', namespace)
      await admin.kubectl('create', 'secret', 'generic', 'one', '-n', namespace, `--from-literal=key=${planted}`)
      await admin.kubectl('get', 'secret', 'one', '-n', namespace)
      await admin.kubectl('get', 'configmaps', '-n', namespace)
      await stranger.ending('get', 'secret', 'one', '-n', namespace)
      await eventually(async () => {
        const events = await recorded()
        const isAdmin = ({ user }: AuditEvent) => user.groups?.includes('system:masters') === true
        // The stranger's name depends on the stories before: one maps the role in aws-auth.
        const byStranger = events.filter(event => !isAdmin(event))
        assert.deepEqual(byStranger.map(shown), ['get secrets/one ResponseComplete 403'])
        const byAdmin = events.filter(isAdmin)
        assert.deepEqual(byAdmin.map(shown), [
          'create secrets/one ResponseComplete 201',
          'get secrets/one ResponseComplete 200',
        ])
        assert.match(byAdmin[0]!.user.username ?? '', /^arn:aws:iam::\d{12}:user\/alice$/)
        assert.ok(byAdmin.every(({ sourceIPs, userAgent }) => sourceIPs.length > 0 && userAgent?.startsWith('kubectl')))
      }, patient)
    })

    test('of a watch when it begins and when it ends', async () => {
      const path = `/api/v1/namespaces/${namespace}/secrets?watch=1&timeoutSeconds=1`
      await admin.kubectl('get', '--raw', path)
      await eventually(async () => {
        const watches = (await recorded()).filter(({ verb }) => verb === 'watch')
        assert.deepEqual(watches.map(shown), [
          'watch secrets/ ResponseStarted 200',
          'watch secrets/ ResponseComplete 200',
        ])
      }, patient)
    })

    test('in the hub itself, too: of writes, for those who may list the objects', async () => {
      const path = `/fleet/audit?namespace=${namespace}`
      const read = async (person: typeof admin) =>
        JSON.parse(await person.kubectl('get', '--raw', path)) as { readonly items: readonly AuditEntry[] }
      const { items } = await read(admin)
      assert.deepEqual(
        items.map(({ verb, resource, name, code }) => `${verb} ${resource}/${name} ${code}`),
        ['create secrets/one 201'],
      )
      assert.match(items[0]!.user, /^arn:aws:iam::\d{12}:user\/alice$/)
      assert.ok(!JSON.stringify(items).includes(planted))
      assert.deepEqual((await read(stranger)).items, [])
    })

    test('and of no value of a Secret', async () => {
      const all = (await messages()).join()
      for (const form of [planted, Buffer.from(planted).toString('base64')]) assert.ok(!all.includes(form))
    })
  })
}
