/** A HelmRelease's settings for each action: install, upgrade, test, rollback, uninstall, and drift correction. */
import { ignoreRule, image, patch } from './applier-fields.ts'
import { duration } from './flux.ts'
import { flag, integer, list, object, oneOf, optional, text } from './schema/schema.ts'

const named = { minLength: 1, maxLength: 253 }

export const timeout = optional(duration('How long the action may take; `timeout` of the spec when empty.'))
const applyMode = oneOf('Whether to apply on the server; `auto` does as the last release did.', [
  'enabled',
  'disabled',
  'auto',
])
const crds = optional(
  oneOf('What is done with CustomResourceDefinitions of the chart.', ['Skip', 'Create', 'CreateReplace']),
)
const strategyName = oneOf('What a failure leads to.', ['RemediateOnFailure', 'RetryOnFailure'])
const retryInterval = optional(duration('How long to wait between retries.'))

const waiting = {
  disableWait: optional(flag("Don't wait until the objects are ready.")),
  disableWaitForJobs: optional(flag("Don't wait until Jobs are complete.")),
  disableHooks: optional(flag('Run no hooks.')),
}

const releasing = {
  timeout,
  ...waiting,
  disableTakeOwnership: optional(flag('Refuse objects that exist and are not of this release.')),
  disableOpenAPIValidation: optional(flag("Don't validate the objects against the schemas of the cluster.")),
  disableSchemaValidation: optional(flag("Don't validate the values against the schema of the chart.")),
  crds,
}

const remediating = {
  retries: optional(integer('How often to try again; negative for ever.')),
  ignoreTestFailures: optional(flag("Don't take failed tests for a failure; as `test.ignoreFailures` when empty.")),
  remediateLastFailure: optional(flag('Remediate the last failure too, when no retries are left.')),
}

export const install = object('How the chart is installed.', {
  ...releasing,
  replace: optional(flag('Use the name of a release that was uninstalled but kept.')),
  skipCRDs: optional(flag('Deprecated: `crds: Skip`.')),
  createNamespace: optional(flag('Create the namespace `targetNamespace`.')),
  serverSideApply: optional(flag('Apply on the server; so it is when empty.')),
  strategy: optional(
    object(
      'What a failed installation leads to.',
      { name: strategyName, retryInterval },
      {
        'x-kubernetes-validations': [
          {
            message: ".retryInterval cannot be set when .name is 'RemediateOnFailure'",
            rule: "!has(self.retryInterval) || self.name != 'RemediateOnFailure'",
          },
        ],
      },
    ),
  ),
  remediation: optional(object('How a failed installation is remediated: by an uninstallation.', remediating)),
})

export const upgrade = object('How the release is upgraded.', {
  ...releasing,
  force: optional(flag('Replace objects that cannot be changed; without server-side apply only.')),
  preserveValues: optional(flag('Keep the values of the last release below the new ones.')),
  cleanupOnFail: optional(flag('Delete what a failed upgrade has created.')),
  serverSideApply: optional(applyMode),
  chartNameChangeStrategy: optional(
    oneOf('What a chart of another name leads to; `Reinstall` when empty.', ['InPlaceUpdate', 'Reinstall']),
  ),
  strategy: optional(
    object(
      'What a failed upgrade leads to.',
      { name: strategyName, retryInterval },
      {
        'x-kubernetes-validations': [
          {
            message: ".retryInterval can only be set when .name is 'RetryOnFailure'",
            rule: "!has(self.retryInterval) || self.name == 'RetryOnFailure'",
          },
        ],
      },
    ),
  ),
  remediation: optional(
    object('How a failed upgrade is remediated.', {
      ...remediating,
      strategy: optional(oneOf('The action; `rollback` when empty.', ['rollback', 'uninstall'])),
    }),
  ),
})

export const tests = object('Tests of the chart.', {
  enable: optional(flag('Run them after each installation and upgrade.')),
  timeout,
  ignoreFailures: optional(flag('Be ready though tests have failed.')),
  filters: optional(
    list(
      'Which tests to run; all when empty.',
      object('A test to run, or to leave out.', {
        name: text('Name of the test.', named),
        exclude: optional(flag('Leave it out.')),
      }),
    ),
  ),
})

export const rollback = object('How the release is rolled back.', {
  timeout,
  ...waiting,
  recreate: optional(flag('Deprecated, without effect.')),
  force: optional(flag('Replace objects that cannot be changed; without server-side apply only.')),
  cleanupOnFail: optional(flag('Delete what a failed rollback has created.')),
  serverSideApply: optional(applyMode),
})

export const uninstall = object('How the release is uninstalled.', {
  timeout,
  disableHooks: waiting.disableHooks,
  keepHistory: optional(flag('Keep the stored release.')),
  disableWait: optional(flag("Don't wait until the objects are gone.")),
  deletionPropagation: optional(
    oneOf('How dependents of the objects go.', ['background', 'foreground', 'orphan'], { default: 'background' }),
  ),
})

export const driftDetection = object('What is done when the cluster differs from the release.', {
  mode: optional(
    oneOf('Correct it, warn of it, or ignore it; `disabled` when empty.', ['enabled', 'warn', 'disabled']),
  ),
  ignore: optional(list('Fields that may differ.', ignoreRule)),
})

export const postRenderer = object('Changes what the chart has rendered.', {
  kustomize: optional(
    object('By kustomize.', {
      patches: optional(list('Patches to the objects.', patch)),
      images: optional(list('Images to replace.', image)),
    }),
  ),
})
