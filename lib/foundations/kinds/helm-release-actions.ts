/** A HelmRelease's settings for each action: install, upgrade, test, rollback, uninstall, and drift correction. */
import { ignoreRule, image, patch } from './applier-fields.ts'
import { duration } from './flux.ts'
import { flag, integer, list, object, oneOf, optional, text } from './schema/schema.ts'

const named = { minLength: 1, maxLength: 253 }

const timeout = optional(duration('Timeout of the action. Defaults to `timeout` of the spec.'))
const applyMode = oneOf('Whether to use server-side apply. `auto` keeps the method of the last release.', [
  'enabled',
  'disabled',
  'auto',
])
const crds = optional(
  oneOf('How to handle the CustomResourceDefinitions of the chart.', ['Skip', 'Create', 'CreateReplace']),
)
const strategyName = oneOf('How to handle a failure.', ['RemediateOnFailure', 'RetryOnFailure'])
const retryInterval = optional(duration('Interval of retries.'))

const waiting = {
  disableWait: optional(flag("Don't wait until the objects are ready.")),
  disableWaitForJobs: optional(flag("Don't wait until Jobs are complete.")),
  disableHooks: optional(flag('Run no hooks.')),
}

const releasing = {
  timeout,
  ...waiting,
  disableTakeOwnership: optional(flag('Fail if objects exist that do not belong to this release.')),
  disableOpenAPIValidation: optional(flag("Don't validate the objects against the schemas of the cluster.")),
  disableSchemaValidation: optional(flag("Don't validate the values against the schema of the chart.")),
  crds,
}

const remediating = {
  retries: optional(integer('Number of retries. A negative number means unlimited.')),
  ignoreTestFailures: optional(flag('Ignore failed tests. Defaults to `test.ignoreFailures`.')),
  remediateLastFailure: optional(flag('Remediate the last failure too, when no retries are left.')),
}

export const install = object('Settings for installations.', {
  ...releasing,
  replace: optional(flag('Reuse the name of an uninstalled release whose history was kept.')),
  skipCRDs: optional(flag('Deprecated: `crds: Skip`.')),
  createNamespace: optional(flag('Create the namespace `targetNamespace`.')),
  serverSideApply: optional(flag('Use server-side apply. Defaults to true.')),
  strategy: optional(
    object(
      'How to handle a failed installation.',
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
  remediation: optional(
    object('Settings for the remediation of a failed installation, which uninstalls.', remediating),
  ),
})

export const upgrade = object('Settings for upgrades.', {
  ...releasing,
  force: optional(flag('Replace objects that cannot be updated. Not with server-side apply.')),
  preserveValues: optional(flag('Merge the new values over those of the last release.')),
  cleanupOnFail: optional(flag('Delete the objects created by a failed upgrade.')),
  serverSideApply: optional(applyMode),
  chartNameChangeStrategy: optional(
    oneOf('How to handle a chart with another name. Defaults to `Reinstall`.', ['InPlaceUpdate', 'Reinstall']),
  ),
  strategy: optional(
    object(
      'How to handle a failed upgrade.',
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
    object('Settings for the remediation of a failed upgrade.', {
      ...remediating,
      strategy: optional(oneOf('The action. Defaults to `rollback`.', ['rollback', 'uninstall'])),
    }),
  ),
})

export const tests = object('Tests of the chart.', {
  enable: optional(flag('Run the tests after each installation and upgrade.')),
  timeout,
  ignoreFailures: optional(flag('Ignore failed tests: the release can be ready without them.')),
  filters: optional(
    list(
      'Tests to run. Defaults to all.',
      object('A test to run or to skip.', {
        name: text('Name of the test.', named),
        exclude: optional(flag('Skip it.')),
      }),
    ),
  ),
})

export const rollback = object('Settings for rollbacks.', {
  timeout,
  ...waiting,
  recreate: optional(flag('Deprecated, without effect.')),
  force: optional(flag('Replace objects that cannot be updated. Not with server-side apply.')),
  cleanupOnFail: optional(flag('Delete the objects created by a failed rollback.')),
  serverSideApply: optional(applyMode),
})

export const uninstall = object('Settings for uninstallations.', {
  timeout,
  disableHooks: waiting.disableHooks,
  keepHistory: optional(flag('Keep the stored release.')),
  disableWait: optional(flag("Don't wait until the objects are gone.")),
  deletionPropagation: optional(
    oneOf('Deletion propagation policy.', ['background', 'foreground', 'orphan'], { default: 'background' }),
  ),
})

export const driftDetection = object('Settings for drift detection and correction.', {
  mode: optional(
    oneOf('Whether drift is corrected, reported or ignored. Defaults to `disabled`.', ['enabled', 'warn', 'disabled']),
  ),
  ignore: optional(list('Fields that are ignored in the comparison.', ignoreRule)),
})

export const postRenderer = object('Changes the rendered chart.', {
  kustomize: optional(
    object('By kustomize.', {
      patches: optional(list('Patches for the objects.', patch)),
      images: optional(list('Images to replace.', image)),
    }),
  ),
})
