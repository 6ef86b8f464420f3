// Program calls an admin API with the client of Unleash's Terraform provider, and reports how each call ended.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"time"

	unleash "github.com/Unleash/unleash-server-api-go/client"
)

type question struct {
	URL    string `json:"url"`
	Token  string `json:"token"`
	UserID int32  `json:"userId"`
	RoleID string `json:"roleId"`
}

// Outcome of a call. The client reports an answer that does not have its form as an error, also with status 200.
type outcome struct {
	Status int    `json:"status"`
	Error  string `json:"error"`
}

var outcomes = map[string]outcome{}

func note(call string, response *http.Response, err error) {
	told := outcome{}
	if response != nil {
		told.Status = response.StatusCode
	}
	if err != nil {
		told.Error = err.Error()
	}
	outcomes[call] = told
}

const (
	environment = "production"
	project     = "terraform"
	token       = "of-terraform"
)

func main() {
	var asked question
	must(json.NewDecoder(os.Stdin).Decode(&asked))
	configuration := unleash.NewConfiguration()
	configuration.Servers = unleash.ServerConfigurations{{URL: asked.URL}}
	configuration.AddDefaultHeader("Authorization", asked.Token)
	client := unleash.NewAPIClient(configuration)
	projects(client)
	tokens(client)
	reads(client, asked)
	refused(client, asked)
	_, response, err := client.ProjectsAPI.GetProjects(ctx).Execute()
	note("GetProjects", response, err)
	response, err = client.ProjectsAPI.DeleteProject(ctx, project).Execute()
	note("DeleteProject", response, err)
	must(json.NewEncoder(os.Stdout).Encode(outcomes))
}

var ctx = context.Background()

func projects(client *unleash.APIClient) {
	wanted := unleash.NewCreateProjectSchema("Terraform")
	wanted.SetId(project)
	wanted.SetDescription("made by the client")
	wanted.SetMode("open")
	_, response, err := client.ProjectsAPI.CreateProject(ctx).CreateProjectSchema(*wanted).Execute()
	note("CreateProject", response, err)
	update := unleash.NewUpdateProjectSchema("Terraformed")
	update.SetMode("open")
	response, err = client.ProjectsAPI.UpdateProject(ctx, project).UpdateProjectSchema(*update).Execute()
	note("UpdateProject", response, err)
	settings := unleash.NewUpdateProjectEnterpriseSettingsSchemaWithDefaults()
	settings.SetMode("open")
	response, err = client.ProjectsAPI.UpdateProjectEnterpriseSettings(ctx, project).
		UpdateProjectEnterpriseSettingsSchema(*settings).Execute()
	note("UpdateProjectEnterpriseSettings", response, err)
	response, err = client.ProjectsAPI.RemoveEnvironmentFromProject(ctx, project, environment).Execute()
	note("RemoveEnvironmentFromProject", response, err)
	added := unleash.NewProjectEnvironmentSchema(environment)
	response, err = client.ProjectsAPI.AddEnvironmentToProject(ctx, project).ProjectEnvironmentSchema(*added).Execute()
	note("AddEnvironmentToProject", response, err)
}

func tokens(client *unleash.APIClient) {
	wanted := unleash.NewCreateApiTokenSchemaOneOf("client", token)
	wanted.SetEnvironment(environment)
	wanted.SetProject("*")
	body := unleash.CreateApiTokenSchemaOneOfAsCreateApiTokenSchema(wanted)
	made, response, err := client.APITokensAPI.CreateApiToken(ctx).CreateApiTokenSchema(body).Execute()
	note("CreateApiToken", response, err)
	_, response, err = client.APITokensAPI.GetAllApiTokens(ctx).Execute()
	note("GetAllApiTokens", response, err)
	_, response, err = client.APITokensAPI.GetApiTokensByName(ctx, token).Execute()
	note("GetApiTokensByName", response, err)
	later := unleash.NewUpdateApiTokenSchema(time.Now().Add(24 * time.Hour))
	response, err = client.APITokensAPI.UpdateApiToken(ctx, token).UpdateApiTokenSchema(*later).Execute()
	note("UpdateApiToken by name", response, err)
	if made != nil {
		response, err = client.APITokensAPI.UpdateApiToken(ctx, made.Secret).UpdateApiTokenSchema(*later).Execute()
		note("UpdateApiToken by secret", response, err)
		response, err = client.APITokensAPI.DeleteApiToken(ctx, made.Secret).Execute()
		note("DeleteApiToken by secret", response, err)
	}
	response, err = client.APITokensAPI.DeleteApiToken(ctx, token).Execute()
	note("DeleteApiToken by name", response, err)
}

func reads(client *unleash.APIClient, asked question) {
	_, response, err := client.EnvironmentsAPI.GetAllEnvironments(ctx).Execute()
	note("GetAllEnvironments", response, err)
	_, response, err = client.EnvironmentsAPI.GetEnvironment(ctx, environment).Execute()
	note("GetEnvironment", response, err)
	_, response, err = client.EnvironmentsAPI.GetProjectEnvironments(ctx, project).Execute()
	note("GetProjectEnvironments", response, err)
	_, response, err = client.ProjectsAPI.GetProjectAccess(ctx, project).Execute()
	note("GetProjectAccess", response, err)
	_, response, err = client.ChangeRequestsAPI.GetProjectChangeRequestConfig(ctx, project).Execute()
	note("GetProjectChangeRequestConfig", response, err)
	_, response, err = client.ContextAPI.GetContextFields(ctx).Execute()
	note("GetContextFields", response, err)
	_, response, err = client.ContextAPI.GetContextField(ctx, "userId").Execute()
	note("GetContextField", response, err)
	_, response, err = client.UsersAPI.GetUser(ctx, asked.UserID).Execute()
	note("GetUser", response, err)
	_, response, err = client.UsersAPI.SearchUsers(ctx).Q("ada").Execute()
	note("SearchUsers", response, err)
	_, response, err = client.UsersAPI.GetRoles(ctx).Execute()
	note("GetRoles", response, err)
	_, response, err = client.UsersAPI.GetRoleById(ctx, "4").Execute()
	note("GetRoleById of a built-in role", response, err)
	_, response, err = client.UsersAPI.GetRoleById(ctx, asked.RoleID).Execute()
	note("GetRoleById of a custom role", response, err)
	_, response, err = client.AuthAPI.GetPermissions(ctx).Execute()
	note("GetPermissions", response, err)
}

func refused(client *unleash.APIClient, asked question) {
	viewer := int32(3)
	wantedUser := unleash.NewCreateUserSchema(unleash.Int32AsCreateUserSchemaRootRole(&viewer))
	_, response, err := client.UsersAPI.CreateUser(ctx).CreateUserSchema(*wantedUser).Execute()
	note("CreateUser", response, err)
	wantedRole := unleash.CreateRoleWithPermissionsSchema{
		CreateRoleWithPermissionsSchemaAnyOf: unleash.NewCreateRoleWithPermissionsSchemaAnyOf("releaser"),
	}
	_, response, err = client.UsersAPI.CreateRole(ctx).CreateRoleWithPermissionsSchema(wantedRole).Execute()
	note("CreateRole", response, err)
	response, err = client.UsersAPI.DeleteRole(ctx, asked.RoleID).Execute()
	note("DeleteRole", response, err)
	access := unleash.NewProjectAccessConfigurationSchema([]unleash.ProjectAccessConfigurationSchemaRolesInner{})
	response, err = client.ProjectsAPI.SetProjectAccess(ctx, project).ProjectAccessConfigurationSchema(*access).Execute()
	note("SetProjectAccess", response, err)
	place := unleash.NewCreateEnvironmentSchemaWithDefaults()
	_, response, err = client.EnvironmentsAPI.CreateEnvironment(ctx).CreateEnvironmentSchema(*place).Execute()
	note("CreateEnvironment", response, err)
	response, err = client.EnvironmentsAPI.RemoveEnvironment(ctx, environment).Execute()
	note("RemoveEnvironment", response, err)
	field := unleash.NewCreateContextFieldSchema("region")
	_, response, err = client.ContextAPI.CreateContextField(ctx).CreateContextFieldSchema(*field).Execute()
	note("CreateContextField", response, err)
	_, response, err = client.UsersAPI.GetGroups(ctx).Execute()
	note("GetGroups", response, err)
	_, response, err = client.ServiceAccountsAPI.GetServiceAccounts(ctx).Execute()
	note("GetServiceAccounts", response, err)
	_, response, err = client.AuthAPI.GetOidcSettings(ctx).Execute()
	note("GetOidcSettings", response, err)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
