/**
 * The Terraform provider of Unleash, unmodified, applies plans. Skipped unless VEXIL_TERRAFORM_PROVIDER names the
 * folder of its binary; needs `terraform`.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { aRole, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';

const PROVIDER = process.env['VEXIL_TERRAFORM_PROVIDER'];
const ADMIN_TOKEN = `*:*.${'5f'.repeat(28)}`;

const MAIN = `
terraform {
  required_providers {
    unleash = { source = "Unleash/unleash" }
  }
}
provider "unleash" {}
resource "unleash_project" "shop" {
  id             = "of-terraform"
  name           = "Of Terraform"
  description    = "made by a plan"
  feature_naming = { pattern = "shop-.+", example = "shop-a", description = "Ours" }
}
resource "unleash_project_environment" "shop" {
  project_id       = unleash_project.shop.id
  environment_name = "production"
}
data "unleash_project" "default" { id = "default" }
data "unleash_environment" "production" {
  name = "production"
  type = "production"
}
data "unleash_context_field" "user" { name = "userId" }
data "unleash_role" "owner" { name = "Owner" }
data "unleash_permission" "update" { name = "UPDATE_FEATURE" }
data "unleash_permission" "switch" {
  name        = "UPDATE_FEATURE_ENVIRONMENT"
  environment = "production"
}
data "unleash_user" "ada" { email = "ada@example.com" }
output "ada" { value = data.unleash_user.ada.id }
output "owner" { value = data.unleash_role.owner.id }
output "switch" { value = data.unleash_permission.switch.environment }
`;

describe.skipIf(PROVIDER === undefined)('the Terraform provider', () => {
  let folder: string;
  let instance: Instance;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vexil-terraform-'));
    const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN, VEXIL_USER_SEARCH: 'list' };
    instance = await startInstance('terraform', { settings });
    await instance.apply(
      aUser(`${instance.home}/ada`, { id: 40, displayName: 'Ada', email: 'ada@example.com' }),
      aRole(`${instance.home}/releaser`, { id: 60, description: 'May switch' }),
    );
    await waitUntil({ what: 'the user has its id' }, async () => {
      const headers = { authorization: ADMIN_TOKEN };
      return (await fetch(`${instance.url}/api/admin/user-admin/40`, { headers })).ok;
    });
    const overrides = `provider_installation {\n  dev_overrides { "Unleash/unleash" = "${PROVIDER}" }\n  direct {}\n}\n`;
    await writeFile(join(folder, 'terraformrc'), overrides);
    await writeFile(join(folder, 'main.tf'), MAIN);
  });
  afterAll(async () => {
    await instance?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function terraform(...args: readonly string[]): Promise<string> {
    const environment = {
      UNLEASH_URL: instance.url,
      AUTH_TOKEN: ADMIN_TOKEN,
      TF_CLI_CONFIG_FILE: join(folder, 'terraformrc'),
      CHECKPOINT_DISABLE: '1',
    };
    const { code, stdout, stderr } = await runProgram('terraform', args, { cwd: folder, environment });
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  }

  const specOf = async (project: string) => instance.specOf('project', `${instance.home}/${project}`);

  test('makes a project with its naming convention and its environment, and reads the rest', async () => {
    const said = await terraform('apply', '-auto-approve', '-no-color');
    expect(said).toContain('2 added, 0 changed, 0 destroyed');
    expect(await specOf('of-terraform')).toMatchObject({
      displayName: 'Of Terraform',
      description: 'made by a plan',
      flagNaming: { pattern: 'shop-.+', example: 'shop-a' },
    });
    const outputs = JSON.parse(await terraform('output', '-json'));
    expect(outputs).toMatchObject({ ada: { value: '40' }, owner: { value: 4 }, switch: { value: 'production' } });
  });

  test('finds nothing to change afterwards', async () => {
    await terraform('plan', '-detailed-exitcode', '-no-color');
  });

  test('changes the project, and removes it', async () => {
    await writeFile(join(folder, 'main.tf'), MAIN.replace('"Of Terraform"', '"Of a plan"'));
    expect(await terraform('apply', '-auto-approve', '-no-color')).toContain('0 added, 1 changed, 0 destroyed');
    expect(await specOf('of-terraform')).toMatchObject({ displayName: 'Of a plan' });
    expect(await terraform('destroy', '-auto-approve', '-no-color')).toContain('2 destroyed');
  });
});
